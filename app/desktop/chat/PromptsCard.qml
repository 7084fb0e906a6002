// The person's prompts: to be written, changed and deleted.
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Inglenook

Card {
    id: card

    required property Prompts prompts

    // What is being written outlasts the card, until it is kept or discarded.
    property bool editing: false
    property string before: ""  ///< the name of the one that is changed; empty: a new one
    property string beforeText: ""
    property string name: ""
    property string text: ""

    objectName: "promptsCard"
    title: qsTr("Your prompts")
    onClosed: {
        if (name === before && text === beforeText)
            editing = false;
    }

    body: ColumnLayout {
        id: body

        function edit(name: string, text: string) {
            card.before = name;
            card.beforeText = text;
            write(name, text);
        }
        function write(name: string, text: string) {
            nameField.text = name;
            textArea.text = text;
            card.editing = true;
            nameField.forceActiveFocus();
        }

        Component.onCompleted: {
            if (card.editing)
                write(card.name, card.text);
        }

        spacing: Theme.m

        Text {
            textFormat: Text.PlainText
            Layout.fillWidth: true
            text: card.editing
                ? qsTr("What stands in {braces} is asked for when the prompt is used.")
                : qsTr("Type / in the empty message to use one.")
            color: Theme.mutedText
            font.pixelSize: Theme.smallSize
            wrapMode: Text.Wrap
        }
        ListView {
            id: list
            Layout.fillWidth: true
            Layout.fillHeight: true
            implicitHeight: contentHeight
            visible: count > 0 && !card.editing
            clip: true
            boundsBehavior: Flickable.StopAtBounds
            model: card.prompts.all
            Accessible.role: Accessible.List
            Accessible.name: card.title
            T.ScrollBar.vertical: ScrollThumb {}
            delegate: RowLayout {
                id: row

                required property var modelData
                required property int index

                width: list.width - (list.contentHeight > list.height ? Theme.m : 0)  // beside the scroll bar
                spacing: Theme.s

                Text {
                    textFormat: Text.PlainText
                    Layout.fillWidth: true
                    text: row.modelData.name
                    color: Theme.text
                    font.pixelSize: Theme.smallSize
                    elide: Text.ElideRight
                }
                IconButton {
                    objectName: "editPrompt-" + row.index
                    iconName: "pencil"
                    hint: qsTr("Change %1").arg(row.modelData.name)
                    onClicked: body.edit(row.modelData.name, row.modelData.text)
                }
                IconButton {
                    objectName: "removePrompt-" + row.index
                    iconName: "trash"
                    hint: qsTr("Delete %1").arg(row.modelData.name)
                    onClicked: card.prompts.remove(row.modelData.name)
                }
            }
        }
        InputField {
            id: nameField
            objectName: "promptName"
            Layout.fillWidth: true
            visible: card.editing
            label: qsTr("Name")
            placeholderText: label
            onTextChanged: card.name = text
            onAccepted: textArea.forceActiveFocus()
        }
        Rectangle {
            Layout.fillWidth: true
            visible: card.editing
            implicitHeight: Math.min(240, Math.max(120, textArea.implicitHeight))
            radius: Theme.radius
            color: Theme.surface
            border.width: textArea.activeFocus ? 2 : 0
            border.color: Theme.accent

            Flickable {
                anchors.fill: parent
                clip: true
                boundsBehavior: Flickable.StopAtBounds
                T.ScrollBar.vertical: ScrollThumb {}

                T.TextArea.flickable: T.TextArea {
                    id: textArea
                    objectName: "promptText"
                    padding: Theme.m
                    implicitHeight: contentHeight + 2 * padding
                    wrapMode: TextEdit.Wrap
                    textFormat: TextEdit.PlainText
                    color: Theme.text
                    selectionColor: Theme.selection
                    selectedTextColor: Theme.text
                    font.pixelSize: Theme.smallSize
                    selectByMouse: true
                    inputMethodHints: Theme.inputHints
                    Accessible.name: qsTr("Text of the prompt")
                    onTextChanged: card.text = text
                    Keys.onTabPressed: nextItemInFocusChain(true).forceActiveFocus(Qt.TabFocusReason)
                    Keys.onBacktabPressed: nextItemInFocusChain(false).forceActiveFocus(Qt.BacktabFocusReason)
                }
            }
        }
        Flow {
            Layout.fillWidth: true
            layoutDirection: Qt.RightToLeft
            spacing: Theme.s

            TextButton {
                objectName: card.editing ? "storePrompt" : "newPrompt"
                prominent: true
                enabled: !card.editing || (nameField.text.trim().length > 0 && textArea.text.trim().length > 0)
                text: card.editing
                ? qsTr("Keep it") : qsTr("New prompt")
                onClicked: {
                    if (!card.editing)
                        body.edit("", "");
                    else if (card.prompts.store(card.before, nameField.text, textArea.text))
                        card.editing = false;
                }
            }
            TextButton {
                objectName: "discardPrompt"
                visible: card.editing
                text: qsTr("Discard")
                onClicked: card.editing = false
            }
        }
    }
}
