// Finds words in the conversation shown.
import QtQuick
import QtQuick.Layouts
import Inglenook

Item {
    id: bar

    required property FindInChat finder
    required property Actions actions

    /// The person is done here.
    signal done

    objectName: "findBar"
    visible: finder.open
    implicitHeight: visible ? row.implicitHeight + Theme.s : 0

    RowLayout {
        id: row
        anchors.horizontalCenter: parent.horizontalCenter
        width: Math.min(Theme.columnWidth, parent.width - 2 * Theme.s)
        spacing: Theme.xs

        InputField {
            id: field
            objectName: "findField"
            Layout.fillWidth: true
            label: qsTr("Find in this conversation")
            placeholderText: label
            rightPadding: said.width + 2 * Theme.m
            text: bar.finder.text
            onTextEdited: bar.finder.text = text
            // Before the window takes it for "stop".
            Keys.onShortcutOverride: event => event.accepted = event.key === Qt.Key_Escape
            Keys.onEscapePressed: bar.finder.close()
            Keys.onPressed: event => {
                event.accepted = event.key === Qt.Key_Return || event.key === Qt.Key_Enter;
                if (event.accepted)
                    bar.finder.step(event.modifiers & Qt.ShiftModifier ? -1 : 1);
            }
            Keys.onUpPressed: bar.finder.step(-1)
            Keys.onDownPressed: bar.finder.step(1)

            Text {
                id: said
                objectName: "findSentence"
                anchors.right: parent.right
                anchors.rightMargin: Theme.m
                anchors.verticalCenter: parent.verticalCenter
                textFormat: Text.PlainText
                text: bar.finder.sentence
                color: Theme.mutedText
                font.pixelSize: Theme.smallSize
                Accessible.role: Accessible.StatusBar
                Accessible.name: text
            }
        }
        IconButton {
            objectName: "findPreviousButton"
            iconName: "chevron-up"
            hint: bar.actions.hint("findPrevious")
            enabled: bar.finder.any
            onClicked: bar.finder.step(-1)
        }
        IconButton {
            objectName: "findNextButton"
            iconName: "chevron-down"
            hint: bar.actions.hint("findNext")
            enabled: bar.finder.any
            onClicked: bar.finder.step(1)
        }
        IconButton {
            iconName: "close"
            hint: qsTr("Close")
            onClicked: bar.finder.close()
        }
    }

    Connections {
        target: bar.finder
        function onAsked() {
            field.forceActiveFocus(Qt.ShortcutFocusReason);
            field.selectAll();
        }
        function onClosed() {
            bar.done();
        }
    }
}
