// What a prompt asks for before it is put into the message.
import QtQuick
import QtQuick.Layouts
import Inglenook

Card {
    id: card

    required property Prompts prompts
    property string text: ""
    property var fields: []

    signal filled(string text)

    function openFor(prompt: string, names: var) {
        text = prompt;
        fields = names;
        open();
    }

    objectName: "fieldsCard"
    title: qsTr("Fill in")

    body: ColumnLayout {
        id: body
        spacing: Theme.m

        function done() {
            const values = [];
            for (let i = 0; i < repeater.count; ++i)
                values.push((repeater.itemAt(i) as PromptField).text);
            card.filled(card.prompts.filled(card.text, values));
            card.close();
        }

        Repeater {
            id: repeater
            model: card.fields
            delegate: PromptField {
                Layout.fillWidth: true
                onAccepted: {
                    const next = repeater.itemAt(index + 1) as PromptField;
                    if (next)
                        next.takeFocus();
                    else
                        body.done();
                }
            }
        }
        TextButton {
            objectName: "fieldsDone"
            Layout.alignment: Qt.AlignRight
            prominent: true
            text: qsTr("Insert")
            onClicked: body.done()
        }
    }
}
