// The shelf: what can be asked about, and what models have read of it.
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Inglenook

Card {
    id: card

    required property DocumentShelf shelf

    objectName: "documentsCard"
    title: qsTr("Documents")
    onOpened: shelf.refresh()

    body: ColumnLayout {
        spacing: Theme.m

        RowLayout {
            Layout.fillWidth: true
            visible: card.shelf.opening.length > 0
            spacing: Theme.s

            Text {
                objectName: "documentOpening"
                textFormat: Text.PlainText
                Layout.fillWidth: true
                text: card.shelf.opening
                color: Theme.text
                font.pixelSize: Theme.smallSize
                elide: Text.ElideMiddle
            }
            TextButton {
                objectName: "cancelOpening"
                text: qsTr("Cancel")
                onClicked: card.shelf.cancelOpening()
            }
        }
        ListView {
            id: list
            objectName: "documentList"
            Layout.fillWidth: true
            Layout.fillHeight: true
            implicitHeight: contentHeight
            visible: count > 0
            clip: true
            spacing: Theme.l
            boundsBehavior: Flickable.StopAtBounds
            model: card.shelf
            Accessible.role: Accessible.List
            Accessible.name: card.title
            T.ScrollBar.vertical: ScrollThumb {}
            delegate: DocumentRow {
                shelf: card.shelf
                width: list.width - (list.contentHeight > list.height ? Theme.m : 0)  // beside the scroll bar
                onAsked: card.close()
            }
        }
        Text {
            objectName: "shelfSentence"
            textFormat: Text.PlainText
            Layout.fillWidth: true
            visible: text.length > 0
            text: card.shelf.sentence
            color: Theme.mutedText
            font.pixelSize: Theme.smallSize
            wrapMode: Text.Wrap
        }
    }
}
