// Chats that leave: which, in which form, and where to.
import QtQuick
import QtQuick.Layouts
import Inglenook

Card {
    id: card

    required property AppModel app
    readonly property ChatExport exporter: app.data.chatExport
    readonly property Folders folders: app.sidebar.folders
    required property SaveDialog dialog
    property double conversation: 0  ///< 0: several
    property string name: ""  ///< of what is exported, for the file
    property double folder: 0
    property string form: "md"

    function openFor(wanted: double, title: string) {
        conversation = wanted;
        name = title;
        folder = 0;
        form = wanted === 0 ? "json" : "md";
        open();
    }
    /// What every file system takes as a name.
    function fileName(): string {
        const plain = name.replace(/[\\/:*?"<>|\x00-\x1f]/g, " ").trim().substring(0, 80);
        return (plain.length > 0 ? plain : qsTr("Conversations")) + "." + form;
    }

    objectName: "exportCard"
    title: conversation === 0 ? qsTr("Export conversations") : qsTr("Export the conversation")

    body: ColumnLayout {
        spacing: Theme.m

        Text {
            objectName: "exportTitle"
            textFormat: Text.PlainText
            Layout.fillWidth: true
            visible: card.conversation !== 0
            text: card.name
            color: Theme.text
            font.pixelSize: Theme.textSize
            elide: Text.ElideRight
        }
        Flow {
            Layout.fillWidth: true
            visible: card.conversation === 0 && card.folders.all.length > 0
            spacing: Theme.xs

            ChoiceButton {
                objectName: "exportEverything"
                text: qsTr("All conversations")
                checked: card.folder === 0
                onClicked: {
                    card.folder = 0;
                    card.name = "";
                }
            }
            Repeater {
                model: card.folders.all
                ChoiceButton {
                    required property var modelData

                    objectName: "exportFolder-" + modelData.id
                    width: Math.min(implicitWidth, 240)
                    text: modelData.name
                    checked: card.folder === modelData.id
                    onClicked: {
                        card.folder = modelData.id;
                        card.name = modelData.name;
                    }
                }
            }
        }
        Flow {
            Layout.fillWidth: true
            spacing: Theme.xs

            Repeater {
                model: card.exporter.forms
                ChoiceButton {
                    required property var modelData

                    objectName: "form-" + modelData.extension
                    text: modelData.name
                    checked: card.form === modelData.extension
                    Accessible.description: modelData.words
                    onClicked: card.form = modelData.extension
                }
            }
        }
        Text {
            textFormat: Text.PlainText
            Layout.fillWidth: true
            text: {
                const chosen = card.exporter.forms.find(each => each.extension === card.form);
                return chosen ? chosen.words : "";
            }
            color: Theme.mutedText
            font.pixelSize: Theme.smallSize
            wrapMode: Text.Wrap
        }
        RowLayout {
            Layout.fillWidth: true
            spacing: Theme.s

            Text {
                objectName: "exportSentence"
                textFormat: Text.PlainText
                Layout.fillWidth: true
                text: card.exporter.sentence
                color: Theme.mutedText
                font.pixelSize: Theme.smallSize
                wrapMode: Text.Wrap
            }
            TextButton {
                objectName: "exportCancel"
                visible: card.exporter.writing
                text: qsTr("Cancel")
                onClicked: card.exporter.cancel()
            }
            TextButton {
                objectName: "exportSave"
                visible: !card.exporter.writing
                text: qsTr("Save…")
                prominent: true
                onClicked: {
                    const [conversation, folder, form] = [card.conversation, card.folder, card.form];
                    card.dialog.ask(qsTr("Save export as"), card.fileName(), (file, replace) => {
                        card.exporter.write(conversation, folder, form, file, replace);
                    });
                }
            }
        }
    }

    Connections {
        target: card.exporter
        function onDone() {
            card.close();
        }
    }
}
