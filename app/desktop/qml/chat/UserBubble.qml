// The person's words; can be edited in place.
import QtQuick
import QtQuick.Layouts
import Inglenook

Rectangle {
    id: bubble

    required property string text
    required property bool editing
    required property real maximumWidth

    signal accepted(string text)
    signal cancelled

    implicitWidth: editing ? maximumWidth : Math.min(words.implicitWidth + 2 * Theme.l, maximumWidth)
    implicitHeight: layout.implicitHeight + 2 * Theme.m
    radius: Theme.largeRadius
    color: Theme.surface

    onEditingChanged: {
        words.text = text;
        if (editing) {
            words.forceActiveFocus();
            words.cursorPosition = words.length;
        }
    }

    ColumnLayout {
        id: layout
        x: Theme.l
        y: Theme.m
        width: bubble.width - 2 * Theme.l
        spacing: Theme.m

        TextEdit {
            id: words
            Layout.fillWidth: true
            readOnly: !bubble.editing
            text: bubble.text
            textFormat: TextEdit.PlainText
            wrapMode: TextEdit.Wrap
            selectByMouse: true
            color: Theme.text
            selectionColor: Theme.selection
            selectedTextColor: Theme.text
            font.pixelSize: Theme.textSize
            Keys.onPressed: event => {
                const enter = event.key === Qt.Key_Return || event.key === Qt.Key_Enter;
                if (!bubble.editing || !enter || (event.modifiers & Qt.ShiftModifier))
                    return;
                event.accepted = true;
                if (!inputMethodComposing && sendButton.enabled)
                    sendButton.clicked();
            }
            Keys.onEscapePressed: event => {
                event.accepted = bubble.editing;
                if (bubble.editing)
                    bubble.cancelled();
            }
            Accessible.name: bubble.editing ? qsTr("Edit your message") : qsTr("Your message")
        }
        RowLayout {
            Layout.alignment: Qt.AlignRight
            visible: bubble.editing
            spacing: Theme.s

            TextButton {
                text: qsTr("Cancel")
                onClicked: bubble.cancelled()
            }
            TextButton {
                id: sendButton
                text: qsTr("Send")
                prominent: true
                enabled: words.text.trim().length > 0
                onClicked: bubble.accepted(words.text)
            }
        }
    }
}
