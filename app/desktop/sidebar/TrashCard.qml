// What was deleted, and the way back.
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Inglenook

Card {
    id: card

    required property TrashModel trash

    objectName: "trashCard"
    title: qsTr("Trash")
    onOpened: trash.refresh()

    body: ColumnLayout {
        id: body

        property bool asking: false

        spacing: Theme.m

        Text {
            textFormat: Text.PlainText
            Layout.fillWidth: true
            text: card.trash.sentence
            color: Theme.mutedText
            font.pixelSize: Theme.smallSize
            wrapMode: Text.Wrap
        }
        ListView {
            id: list
            objectName: "trashList"
            Layout.fillWidth: true
            Layout.fillHeight: true
            implicitHeight: contentHeight
            visible: count > 0
            clip: true
            spacing: Theme.xs
            boundsBehavior: Flickable.StopAtBounds
            model: card.trash
            Accessible.role: Accessible.List
            Accessible.name: card.title
            T.ScrollBar.vertical: ScrollThumb {}
            delegate: RowLayout {
                id: row

                required property int index
                required property string title
                required property string detail

                width: list.width - (list.contentHeight > list.height ? Theme.m : 0)  // beside the scroll bar
                spacing: Theme.m

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
                        textFormat: Text.PlainText
                        Layout.fillWidth: true
                        text: row.detail
                        color: Theme.mutedText
                        font.pixelSize: Theme.smallSize - 1
                        elide: Text.ElideRight
                    }
                }
                TextButton {
                    objectName: "restore-" + row.index
                    text: qsTr("Restore")
                    Accessible.name: qsTr("Restore %1").arg(row.title)
                    onClicked: card.trash.restore(row.index)
                }
            }
        }
        RowLayout {
            Layout.fillWidth: true
            visible: card.trash.count > 0
            spacing: Theme.s

            Text {
                textFormat: Text.PlainText
                Layout.fillWidth: true
                text: body.asking ? qsTr("This cannot be undone.") : ""
                color: Theme.mutedText
                font.pixelSize: Theme.smallSize
                wrapMode: Text.Wrap
            }
            TextButton {
                objectName: "emptyTrash"
                text: body.asking ? qsTr("Delete for good") : qsTr("Empty the trash")
                prominent: body.asking
                onClicked: {
                    if (body.asking)
                        card.trash.empty();
                    body.asking = !body.asking;
                }
            }
        }
    }
}
