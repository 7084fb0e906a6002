// One thing that takes room: what it is, how much, where; and removing it, which says first what that costs.
import QtQuick
import QtQuick.Layouts
import Inglenook

ColumnLayout {
    id: row

    required property DataPlaces places
    required property DesktopPortal portal
    required property int index
    required property string title
    required property string size
    required property string path
    required property string price
    property bool asking: false

    spacing: 0
    Accessible.role: Accessible.ListItem
    Accessible.name: title + " " + size
    Accessible.description: path

    RowLayout {
        Layout.fillWidth: true
        spacing: Theme.s

        ColumnLayout {
            Layout.fillWidth: true
            spacing: 0

            Text {
                textFormat: Text.PlainText
                Layout.fillWidth: true
                text: row.title
                color: Theme.text
                font.pixelSize: Theme.smallSize
                wrapMode: Text.Wrap
            }
            Text {
                textFormat: Text.PlainText
                Layout.fillWidth: true
                text: row.path
                color: Theme.mutedText
                font.pixelSize: Theme.smallSize - 1
                elide: Text.ElideMiddle
            }
        }
        Text {
            objectName: "placeSize-" + row.index
            textFormat: Text.PlainText
            text: row.size
            color: Theme.text
            font.pixelSize: Theme.smallSize
        }
        IconButton {
            objectName: "copyPlace-" + row.index
            iconName: "copy"
            hint: qsTr("Copy the path")
            onClicked: row.portal.copy(row.path)
        }
        IconButton {
            objectName: "removePlace-" + row.index
            // Its room stays, so that the sizes stand below each other.
            opacity: row.price.length > 0 ? 1 : 0
            enabled: row.price.length > 0
            iconName: "trash"
            hint: qsTr("Remove")
            onClicked: row.asking = true
        }
    }
    RowLayout {
        Layout.fillWidth: true
        visible: row.asking
        spacing: Theme.s

        Text {
            textFormat: Text.PlainText
            Layout.fillWidth: true
            text: row.price
            color: Theme.text
            font.pixelSize: Theme.smallSize
            wrapMode: Text.Wrap
        }
        TextButton {
            text: qsTr("Keep")
            onClicked: row.asking = false
        }
        TextButton {
            objectName: "confirmPlace-" + row.index
            text: qsTr("Remove")
            prominent: true
            onClicked: {
                row.asking = false;
                row.places.remove(row.index);
            }
        }
    }
}
