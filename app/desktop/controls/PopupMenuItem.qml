// One action of a PopupMenu.
import QtQuick
import QtQuick.Templates as T
import Inglenook

T.MenuItem {
    id: item

    property string iconName

    implicitWidth: Math.max(180,
                            Theme.iconSize(17) + Theme.m + Math.ceil(words.advanceWidth) + leftPadding + rightPadding)
    implicitHeight: Theme.controlSize
    leftPadding: Theme.m
    rightPadding: Theme.m
    Accessible.name: text

    TextMetrics {
        id: words
        font.pixelSize: Theme.smallSize
        text: item.text
    }
    contentItem: Row {
        spacing: Theme.m

        Icon {
            anchors.verticalCenter: parent.verticalCenter
            name: item.iconName
            color: Theme.mutedText
            width: Theme.iconSize(17)
            height: Theme.iconSize(17)
        }
        Text {
            textFormat: Text.PlainText
            anchors.verticalCenter: parent.verticalCenter
            width: item.availableWidth - x
            text: item.text
            color: Theme.text
            font.pixelSize: Theme.smallSize
            elide: Text.ElideRight
        }
    }
    background: Rectangle {
        radius: Theme.radius - 2
        color: item.highlighted ? Theme.hover : "transparent"
    }
}
