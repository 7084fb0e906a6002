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
                values.push((repeater.itemAt(i) as InputField).text);
            card.filled(card.prompts.filled(card.text, values));
            card.close();
        }

        Repeater {
            id: repeater
            model: card.fields
            delegate: InputField {
                required property string modelData
                required property int index

                objectName: "field-" + index
                Layout.fillWidth: true
                label: modelData
                placeholderText: modelData
                Component.onCompleted: {
                    if (index === 0)
                        forceActiveFocus();
                }
                onAccepted: {
                    const next = repeater.itemAt(index + 1);
                    if (next)
                        next.forceActiveFocus();
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
