// What else might stand at a place of an answer.
import QtQuick
import QtQuick.Templates as T
import Inglenook

PopupMenu {
    id: wordMenu

    required property AnotherWord source

    function openAt(where: Item, x: real, y: real, row: int, offset: int) {
        source.look(row, offset);
        popup(where, x, y + Theme.m);  // the word stays in view
    }

    objectName: "wordMenu"
    implicitWidth: 250
    onClosed: source.sentence.length > 0 ? source.leave() : undefined

    T.MenuItem {
        enabled: false
        visible: wordMenu.source.sentence.length > 0
        height: visible ? implicitHeight : 0
        implicitHeight: contentItem.implicitHeight + 2 * Theme.s
        leftPadding: Theme.m
        rightPadding: Theme.m
        topPadding: Theme.s
        contentItem: Text {
            objectName: "wordSentence"
            text: wordMenu.source.sentence
            textFormat: Text.PlainText
            wrapMode: Text.Wrap
            color: Theme.mutedText
            font.pixelSize: Theme.smallSize
        }
        Accessible.name: wordMenu.source.sentence
    }
    Instantiator {
        model: wordMenu.source.words
        delegate: PopupMenuItem {
            id: word

            required property var modelData
            required property int index

            objectName: "otherWord"
            text: modelData.word
            iconName: modelData.stands ? "check" : ""
            enabled: modelData.mayChoose
            Accessible.description: modelData.percent
            onTriggered: wordMenu.source.choose(index)

            Text {
                anchors.right: parent.right
                anchors.rightMargin: Theme.m
                anchors.verticalCenter: parent.verticalCenter
                textFormat: Text.PlainText
                text: word.modelData.percent
                color: Theme.mutedText
                font.pixelSize: Theme.smallSize
            }
        }
        onObjectAdded: (index, object) => wordMenu.insertItem(index + 1, object as PopupMenuItem)
        onObjectRemoved: (index, object) => wordMenu.removeItem(object as PopupMenuItem)
    }
}
