// One document: what it is, how far the model in use is with it, and what can be done. What cannot be undone asks.
import QtQuick
import QtQuick.Layouts
import Inglenook

ColumnLayout {
    id: row

    required property DocumentShelf shelf
    required property int index
    required property double document
    required property string title
    required property string detail
    required property string progress
    required property double fraction
    required property int reading
    required property bool inChat
    required property bool kept
    required property bool roomier
    property string asking: ""  ///< "forget" or "remove"

    signal asked

    spacing: Theme.xs
    Accessible.role: Accessible.ListItem
    Accessible.name: title
    Accessible.description: progress + " " + detail

    Text {
        textFormat: Text.PlainText
        Layout.fillWidth: true
        text: row.title
        color: Theme.text
        font.pixelSize: Theme.textSize
        elide: Text.ElideRight
    }
    Text {
        objectName: "progress-" + row.index
        textFormat: Text.PlainText
        Layout.fillWidth: true
        text: row.progress
        color: Theme.text
        font.pixelSize: Theme.smallSize
        wrapMode: Text.Wrap
    }
    ReadBar {
        Layout.fillWidth: true
        visible: row.reading === DocumentShelf.Reading || (row.reading === DocumentShelf.Unread && row.fraction >= 0.01)
        fraction: row.fraction
    }
    Text {
        textFormat: Text.PlainText
        Layout.fillWidth: true
        text: row.detail
        color: Theme.mutedText
        font.pixelSize: Theme.smallSize - 1
        wrapMode: Text.Wrap
    }
    // No layout: that would place what becomes visible only later, over something else.
    Flow {
        Layout.fillWidth: true
        visible: row.asking.length === 0
        spacing: Theme.s

        TextButton {
            objectName: "ask-" + row.index
            text: row.reading === DocumentShelf.Unread ? qsTr("Read it and ask") : qsTr("Ask about it")
            Accessible.name: qsTr("%1: %2").arg(text).arg(row.title)
            prominent: row.index === 0
            visible: !row.inChat
            onClicked: {
                row.shelf.ask(row.document);
                row.asked();
            }
        }
        TextButton {
            objectName: "read-" + row.index
            visible: row.reading === DocumentShelf.Reading || row.reading === DocumentShelf.Unread
            text: row.reading === DocumentShelf.Reading ? qsTr("Pause") : qsTr("Read it")
            Accessible.name: qsTr("%1: %2").arg(text).arg(row.title)
            onClicked: row.reading === DocumentShelf.Reading
                ? row.shelf.pause(row.document) : row.shelf.read(row.document)
        }
        TextButton {
            objectName: "room-" + row.index
            visible: row.roomier
            text: qsTr("Make room for it")
            Accessible.name: qsTr("%1: %2").arg(text).arg(row.title)
            onClicked: row.shelf.makeRoom(row.document)
        }
        IconButton {
            objectName: "forget-" + row.index
            visible: row.kept
            iconName: "eraser"
            hint: qsTr("Forget what models have read")
            onClicked: row.asking = "forget"
        }
        IconButton {
            objectName: "remove-" + row.index
            iconName: "trash"
            hint: qsTr("Remove from the shelf")
            onClicked: row.asking = "remove"
        }
    }
    RowLayout {
        Layout.fillWidth: true
        visible: row.asking.length > 0
        spacing: Theme.s

        Text {
            textFormat: Text.PlainText
            Layout.fillWidth: true
            text: row.asking === "forget"
                ? qsTr("It will have to be read again.")
                : qsTr("It goes with all that was read of it; chats that use it keep its text.")
            color: Theme.mutedText
            font.pixelSize: Theme.smallSize
            wrapMode: Text.Wrap
        }
        TextButton {
            text: qsTr("Keep")
            onClicked: row.asking = ""
        }
        TextButton {
            objectName: "confirm-" + row.index
            text: row.asking === "forget" ? qsTr("Forget") : qsTr("Remove")
            prominent: true
            onClicked: {
                const what = row.asking;
                row.asking = "";
                if (what === "forget")
                    row.shelf.forget(row.document);
                else
                    row.shelf.remove(row.document);
            }
        }
    }
}
