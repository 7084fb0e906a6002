// A message of the person while it is being changed.
import QtQuick
import Inglenook

Item {
    id: row

    required property double messageId
    readonly property ChatList list: ListView.view as ChatList
    /// What stays attached: of each "name" and "picture".
    readonly property var pictures: list ? list.chat.picturesOf(messageId) : []

    function begin() {
        words.cursorPosition = words.length;
        if (!list || !list.editorWanted)
            return;
        list.editorWanted = false;
        words.forceActiveFocus();
    }
    function accept() {
        // It closes once that is stored: see onEditedChanged of the list.
        list.chat.edit(messageId, words.text);
    }

    width: ListView.view ? ListView.view.width : 0
    height: bubble.height + Theme.l
    // A row that waits for its next use is nowhere, for the keyboard and for screen readers, too.
    ListView.onPooled: visible = false
    ListView.onReused: {
        visible = true;
        begin();
    }

    Rectangle {
        id: bubble
        x: (row.list ? row.list.columnX + row.list.columnWidth : 0) - width
        width: (row.list ? row.list.columnWidth : 0) * 0.88
        height: buttons.y + buttons.height + Theme.m
        radius: Theme.largeRadius
        color: Theme.surface
        border.color: words.activeFocus ? Theme.softAccent : Theme.surface

        Flow {
            id: tiles
            x: Theme.l
            y: Theme.m
            width: parent.width - 2 * Theme.l
            visible: row.pictures.length > 0
            spacing: Theme.s

            Repeater {
                model: row.pictures
                delegate: PictureTile {
                    required property var modelData
                    required property int index

                    objectName: "editedPicture-" + index
                    pictures: row.list.pictures
                    picture: modelData.picture
                    name: modelData.name
                    onClicked: row.list.pictureOpened(row.pictures.map(one => one.picture),
                                                      row.pictures.map(one => one.name), index)
                }
            }
        }
        TextEdit {
            id: words
            objectName: "messageEditor"
            x: Theme.l
            y: tiles.visible ? tiles.y + tiles.height + Theme.s : Theme.m
            width: parent.width - 2 * Theme.l
            text: row.list ? row.list.rows.editedText : ""
            textFormat: TextEdit.PlainText
            wrapMode: TextEdit.Wrap
            selectByMouse: true
            inputMethodHints: Theme.inputHints
            color: Theme.text
            selectionColor: Theme.selection
            selectedTextColor: Theme.text
            font.pixelSize: Theme.textSize
            Accessible.name: qsTr("Edit your message")
            onTextChanged: if (row.list) row.list.rows.editedText = text
            Keys.onPressed: event => {
                const enter = event.key === Qt.Key_Return || event.key === Qt.Key_Enter;
                if (!enter || (event.modifiers & Qt.ShiftModifier))
                    return;
                event.accepted = true;
                if (!inputMethodComposing && sendButton.enabled)
                    row.accept();
            }
            Keys.onEscapePressed: row.list.rows.edit(0)
            Component.onCompleted: row.begin()
        }
        Text {
            id: problem
            objectName: "editProblem"
            x: Theme.l
            y: words.y + words.height + Theme.s
            width: parent.width - 2 * Theme.l
            visible: text.length > 0
            text: row.list ? row.list.editMeasure.problem : ""
            textFormat: Text.PlainText
            wrapMode: Text.Wrap
            color: Theme.danger
            font.pixelSize: Theme.smallSize
            Accessible.role: Accessible.AlertMessage
            Accessible.name: text
        }
        Row {
            id: buttons
            anchors.right: parent.right
            anchors.rightMargin: Theme.l
            y: (problem.visible ? problem.y + problem.height : words.y + words.height) + Theme.m
            spacing: Theme.s

            TextButton {
                text: qsTr("Cancel")
                onClicked: row.list.rows.edit(0)
            }
            TextButton {
                id: sendButton
                text: qsTr("Send")
                prominent: true
                enabled: row.list ? row.list.chat.maySendEdit : false
                onClicked: row.accept()
            }
        }
    }
}
