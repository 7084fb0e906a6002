// What an answer quotes: where it stands in the documents of the chat, or that it stands in none.
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Inglenook

Card {
    id: card

    required property AppModel app
    readonly property QuoteFinder finder: app.documents.quotes

    objectName: "quotesCard"
    title: qsTr("Quotes")

    body: ColumnLayout {
        spacing: Theme.m

        Text {
            objectName: "quotesSentence"
            textFormat: Text.PlainText
            Layout.fillWidth: true
            text: card.finder.sentence
            color: Theme.mutedText
            font.pixelSize: Theme.smallSize
            wrapMode: Text.Wrap
        }
        ListView {
            id: list
            objectName: "quoteList"
            Layout.fillWidth: true
            Layout.fillHeight: true
            implicitHeight: contentHeight
            visible: count > 0
            clip: true
            spacing: Theme.l
            boundsBehavior: Flickable.StopAtBounds
            model: card.finder.quotes
            Accessible.role: Accessible.List
            Accessible.name: card.title
            T.ScrollBar.vertical: ScrollThumb {}
            delegate: ColumnLayout {
                id: row

                required property var modelData

                width: list.width - (list.contentHeight > list.height ? Theme.m : 0)  // beside the scroll bar
                spacing: Theme.xs
                Accessible.role: Accessible.ListItem
                Accessible.name: modelData.words
                Accessible.description: place.text

                Text {
                    id: place
                    textFormat: Text.PlainText
                    Layout.fillWidth: true
                    text: row.modelData.place.length > 0 ? row.modelData.place : qsTr("In none of the documents")
                    color: row.modelData.place.length > 0 ? Theme.text : Theme.danger
                    font.pixelSize: Theme.smallSize
                    font.weight: Font.DemiBold
                    wrapMode: Text.Wrap
                }
                Text {
                    Layout.fillWidth: true
                    textFormat: row.modelData.passage.length > 0 ? Text.StyledText : Text.PlainText
                    text: row.modelData.passage.length > 0 ? row.modelData.passage : row.modelData.words
                    color: Theme.text
                    font.pixelSize: Theme.smallSize
                    wrapMode: Text.Wrap
                }
            }
        }
    }
}
