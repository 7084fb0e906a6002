// The documents of the chat in view, above the field to write in; nothing where there are none.
import QtQuick
import QtQuick.Layouts
import Inglenook

ColumnLayout {
    id: strip

    required property DocumentShelf shelf
    required property ChatDocuments model

    spacing: 0

    Repeater {
        model: strip.model
        delegate: RowLayout {
            id: row

            required property int index
            required property double document
            required property string title
            required property string progress
            required property double fraction
            required property int reading

            Layout.fillWidth: true
            Layout.leftMargin: Theme.l + Theme.m
            Layout.rightMargin: Theme.l
            Layout.bottomMargin: Theme.xs
            spacing: Theme.s
            Accessible.role: Accessible.ListItem
            Accessible.name: title
            Accessible.description: progress

            Icon {
                name: "file"
                color: Theme.mutedText
            }
            ColumnLayout {
                Layout.fillWidth: true
                spacing: 0

                Text {
                    textFormat: Text.PlainText
                    Layout.fillWidth: true
                    text: row.title
                    color: Theme.text
                    font.pixelSize: Theme.smallSize
                    elide: Text.ElideRight
                }
                Text {
                    objectName: "stripProgress-" + row.index
                    textFormat: Text.PlainText
                    Layout.fillWidth: true
                    text: row.progress
                    color: Theme.mutedText
                    font.pixelSize: Theme.smallSize - 1
                    wrapMode: Text.Wrap
                    maximumLineCount: 2
                    elide: Text.ElideRight
                }
                ReadBar {
                    Layout.fillWidth: true
                    visible: row.reading === DocumentShelf.Reading
                    fraction: row.fraction
                }
            }
            TextButton {
                objectName: "stripRead-" + row.index
                visible: row.reading === DocumentShelf.Reading || row.reading === DocumentShelf.Unread
                text: row.reading === DocumentShelf.Reading ? qsTr("Pause") : qsTr("Read it")
                Accessible.name: qsTr("%1: %2").arg(text).arg(row.title)
                onClicked: row.reading === DocumentShelf.Reading
                    ? strip.shelf.pause(row.document) : strip.shelf.read(row.document)
            }
            IconButton {
                objectName: "stripAway-" + row.index
                iconName: "close"
                hint: qsTr("Not in this chat")
                onClicked: strip.shelf.putAway(row.document)
            }
        }
    }
}
