// The shelf: what can be asked about, and what models have read of it.
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Inglenook

Page {
    id: page

    required property AppModel app
    readonly property DocumentShelf shelf: app.documents.shelf

    function takeFocus() {
        addButton.forceActiveFocus();
    }

    objectName: "documentsPage"
    title: qsTr("Documents")
    Component.onCompleted: shelf.refresh()

    tools: TextButton {
        id: addButton
        objectName: "addDocuments"
        focus: true
        prominent: page.shelf.count === 0
        text: qsTr("Add…")
        Accessible.name: qsTr("Add documents")
        onClicked: page.app.services.actions.run("attach")
    }

    ColumnLayout {
        anchors.fill: parent
        anchors.leftMargin: page.margin
        anchors.rightMargin: page.margin
        anchors.bottomMargin: Theme.l
        spacing: Theme.m

        RowLayout {
            Layout.fillWidth: true
            visible: page.shelf.opening.length > 0
            spacing: Theme.s

            Text {
                objectName: "documentOpening"
                textFormat: Text.PlainText
                Layout.fillWidth: true
                text: page.shelf.opening
                color: Theme.text
                font.pixelSize: Theme.smallSize
                // A long name leaves room for the page, and for how long it takes.
                wrapMode: Text.Wrap
                maximumLineCount: 3
                elide: Text.ElideRight
            }
            TextButton {
                objectName: "cancelOpening"
                text: qsTr("Cancel")
                onClicked: page.shelf.cancelOpening()
            }
        }
        ListView {
            id: list
            objectName: "documentList"
            Layout.fillWidth: true
            Layout.fillHeight: true
            visible: count > 0
            clip: true
            spacing: Theme.l
            boundsBehavior: Flickable.StopAtBounds
            model: page.shelf
            Accessible.role: Accessible.List
            Accessible.name: page.title
            T.ScrollBar.vertical: ScrollThumb {}
            delegate: DocumentRow {
                shelf: page.shelf
                width: Math.min(Theme.columnWidth, list.width - Theme.m)  // beside the scroll bar
                onAsked: page.done()
            }
        }
        Text {
            objectName: "shelfSentence"
            textFormat: Text.PlainText
            Layout.fillWidth: true
            visible: text.length > 0
            text: page.shelf.sentence
            color: Theme.mutedText
            font.pixelSize: Theme.smallSize
            wrapMode: Text.Wrap
        }
        Item {
            Layout.fillHeight: true
            visible: !list.visible
        }
    }
}
