// The person's prompts: to be written, changed and deleted.
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Inglenook

Page {
    id: page

    required property AppModel app
    readonly property Prompts prompts: app.chats.prompts
    /// What is being written, which outlasts the page until it is saved or discarded: "before", the name of the one
    /// that is changed (empty: a new one), "name" and "text". Empty: nothing is.
    readonly property var draft: prompts.draft
    readonly property bool editing: draft.name !== undefined

    function takeFocus() {
        if (editing)
            nameField.forceActiveFocus();
        else
            newPrompt.forceActiveFocus();
    }

    objectName: "promptsPage"
    title: qsTr("Your prompts")

    property bool filling: false

    function edit(name: string, text: string) {
        prompts.draft = {
            "before": name,
            "beforeText": text,
            "name": name,
            "text": text
        };
        fill();
        nameField.forceActiveFocus();
    }
    function fill() {
        filling = true;
        const kept = draft;
        nameField.text = kept.name;
        textArea.text = kept.text;
        filling = false;
    }
    function note() {
        if (!editing || filling)
            return;
        prompts.draft = Object.assign({}, draft, {
            "name": nameField.text,
            "text": textArea.text
        });
    }
    function leaveEditing() {
        prompts.draft = {};
        newPrompt.forceActiveFocus();
    }

    Component.onCompleted: {
        if (editing)
            fill();
    }
    // One that was only looked at is not kept.
    Component.onDestruction: {
        if (editing && draft.name === draft.before && draft.text === draft.beforeText)
            prompts.draft = {};
    }

    tools: TextButton {
        id: newPrompt
        objectName: "newPrompt"
        focus: true
        visible: !page.editing
        text: qsTr("New prompt")
        onClicked: page.edit("", "")
    }

    ColumnLayout {
        anchors.fill: parent
        anchors.leftMargin: page.margin
        anchors.rightMargin: page.margin
        anchors.bottomMargin: Theme.l
        spacing: Theme.m

        Text {
            textFormat: Text.PlainText
            Layout.fillWidth: true
            text: page.editing
                ? qsTr("Words in {braces} become fields you fill in.")
                : qsTr("Type / in an empty message to insert a prompt.")
            color: Theme.mutedText
            font.pixelSize: Theme.smallSize
            wrapMode: Text.Wrap
        }
        ListView {
            id: list
            Layout.fillWidth: true
            Layout.fillHeight: true
            objectName: "promptsList"
            visible: count > 0 && !page.editing
            clip: true
            boundsBehavior: Flickable.StopAtBounds
            model: page.prompts.all
            Accessible.role: Accessible.List
            Accessible.name: page.title
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
                    onClicked: page.edit(row.modelData.name, row.modelData.text)
                }
                IconButton {
                    objectName: "removePrompt-" + row.index
                    iconName: "trash"
                    hint: qsTr("Delete %1").arg(row.modelData.name)
                    onClicked: page.prompts.remove(row.modelData.name)
                }
            }
        }
        Text {
            textFormat: Text.PlainText
            visible: page.editing
            text: nameField.label
            color: Theme.text
            font.pixelSize: Theme.smallSize
        }
        InputField {
            id: nameField
            objectName: "promptName"
            Layout.fillWidth: true
            visible: page.editing
            label: qsTr("Name")
            Layout.maximumWidth: Theme.columnWidth
            onTextChanged: page.note()
            onAccepted: textArea.forceActiveFocus()
        }
        Text {
            textFormat: Text.PlainText
            visible: page.editing
            text: qsTr("Text of the prompt")
            color: Theme.text
            font.pixelSize: Theme.smallSize
        }
        Rectangle {
            Layout.fillWidth: true
            Layout.maximumWidth: Theme.columnWidth
            Layout.fillHeight: true
            Layout.minimumHeight: 120
            visible: page.editing
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
                    onTextChanged: page.note()
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
                objectName: "storePrompt"
                visible: page.editing
                prominent: true
                enabled: nameField.text.trim().length > 0 && textArea.text.trim().length > 0
                text: qsTr("Save")
                onClicked: {
                    if (page.prompts.store(page.draft.before, nameField.text, textArea.text))
                        page.leaveEditing();
                }
            }
            TextButton {
                objectName: "discardPrompt"
                visible: page.editing
                text: qsTr("Discard")
                onClicked: page.leaveEditing()
            }
        }
    }
}
