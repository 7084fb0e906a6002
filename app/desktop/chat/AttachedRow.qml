// A text that is attached to what is being written.
import QtQuick
import Inglenook

Rectangle {
    id: row

    required property var modelData

    signal removed

    objectName: "attachedText"
    width: Math.min(content.implicitWidth + Theme.m, parent ? parent.width : 0)
    height: Theme.controlSize
    radius: Theme.radius
    color: Theme.surface
    Accessible.role: Accessible.StaticText
    Accessible.name: modelData.name

    Row {
        id: content
        x: Theme.m
        height: parent.height
        spacing: Theme.xs

        Icon {
            anchors.verticalCenter: parent.verticalCenter
            name: "file"
            color: Theme.mutedText
            width: Theme.iconSize(15)
            height: Theme.iconSize(15)
        }
        Text {
            anchors.verticalCenter: parent.verticalCenter
            text: row.modelData.name
            textFormat: Text.PlainText
            color: Theme.text
            font.pixelSize: Theme.smallSize
        }
        IconButton {
            objectName: "removeAttached"
            iconName: "close"
            hint: qsTr("Remove the attached text")
            onClicked: row.removed()
        }
    }
}
