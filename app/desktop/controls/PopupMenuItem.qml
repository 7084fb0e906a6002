// One action of a PopupMenu.
import QtQuick
import QtQuick.Templates as T
import Inglenook

T.MenuItem {
    id: item

    property string iconName

    implicitWidth: 180
    implicitHeight: Theme.controlSize
    leftPadding: Theme.m
    Accessible.name: text

    contentItem: Row {
        spacing: Theme.m

        Icon {
            anchors.verticalCenter: parent.verticalCenter
            name: item.iconName
            color: Theme.mutedText
            width: 17
            height: 17
        }
        Text {
            textFormat: Text.PlainText
            anchors.verticalCenter: parent.verticalCenter
            text: item.text
            color: Theme.text
            font.pixelSize: Theme.smallSize
        }
    }
    background: Rectangle {
        radius: Theme.radius - 2
        color: item.highlighted ? Theme.hover : "transparent"
    }
}
