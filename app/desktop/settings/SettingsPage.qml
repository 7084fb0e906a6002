// What can be chosen, in sections: a table of rows, which the search goes through.
import QtQuick
import QtQuick.Layouts
import Inglenook

Page {
    id: page

    required property AppModel app
    readonly property Settings settings: app.services.settings
    readonly property SettingsFeature program: app.program

    /// A row is drawn by its kind: "choice", "number", "text" or "action".
    readonly property list<QtObject> sections: [
        SettingsSection {
            title: qsTr("Look and language")
            rows: [
                {
                    "key": "theme",
                    "kind": "choice",
                    "name": qsTr("Colours"),
                    "options": [
                        {"value": "system", "name": qsTr("System")},
                        {"value": "light", "name": qsTr("Light")},
                        {"value": "dark", "name": qsTr("Dark")}
                    ]
                },
                {
                    "key": "language",
                    "kind": "choice",
                    "name": qsTr("Language"),
                    "options": page.program.languages
                },
                {
                    "key": "textScale",
                    "kind": "number",
                    "name": qsTr("Text size (%)"),
                    "from": 70,
                    "to": 200
                }
            ]
        },
        SettingsSection {
            title: qsTr("Answers")
            rows: [
                {
                    "key": "systemPrompt",
                    "kind": "text",
                    "name": qsTr("Instructions before every conversation"),
                    "words": qsTr("The model reads them first, for example: “Answer briefly and in German.”")
                },
                {
                    "key": "maxTokens",
                    "kind": "number",
                    "name": qsTr("Maximum answer length (tokens; 0 = no limit)"),
                    "from": 0,
                    "to": 1048576
                },
                {
                    "key": "whenFull",
                    "kind": "choice",
                    "name": qsTr("When a conversation is longer than the model's context"),
                    "options": [
                        {"value": "drop_oldest", "name": qsTr("Drop the oldest messages")},
                        {"value": "refuse", "name": qsTr("Stop and ask")}
                    ]
                },
                {
                    "key": "titles",
                    "kind": "choice",
                    "name": qsTr("Titles of new conversations"),
                    "words": qsTr("A model makes the title after the first answer, while it has nothing else to do."),
                    "options": [
                        {"value": "question", "name": qsTr("First question")},
                        {"value": "here", "name": qsTr("Model of this computer")},
                        {"value": "any", "name": qsTr("Any model")}
                    ]
                },
                {
                    "key": "notifies",
                    "kind": "choice",
                    "name": qsTr("When a long answer ends while you do something else"),
                    "options": [
                        {"value": true, "name": qsTr("Notify me")},
                        {"value": false, "name": qsTr("Don't notify")}
                    ]
                }
            ]
        },
        SettingsSection {
            title: qsTr("How words are chosen")
            rows: [
                {
                    "key": "temperature",
                    "kind": "number",
                    "name": qsTr("Temperature"),
                    "words": qsTr("Higher is more varied; 0 always takes the likeliest word."),
                    "from": 0,
                    "to": 5,
                    "decimals": 2
                },
                {
                    "key": "topK",
                    "kind": "number",
                    "name": qsTr("Top-k"),
                    "words": qsTr("Choose among so many of the likeliest words; 0 = all."),
                    "from": 0,
                    "to": 100000
                },
                {
                    "key": "topP",
                    "kind": "number",
                    "name": qsTr("Top-p"),
                    "words": qsTr("Choose among the likeliest words that together have this probability."),
                    "from": 0,
                    "to": 1,
                    "decimals": 3
                },
                {
                    "key": "seed",
                    "kind": "number",
                    "name": qsTr("Seed"),
                    "words": qsTr("The same seed gives the same answer again. Empty: a new one for every answer."),
                    "from": 0,
                    "to": 9223372036854775807,
                    "mayBeEmpty": true
                }
            ]
        },
        SettingsSection {
            title: qsTr("Models and speed")
            rows: [
                {
                    "key": "device",
                    "kind": "choice",
                    "name": qsTr("Device that computes"),
                    "options": page.program.devices.choices
                },
                {
                    "key": "kvMemory",
                    "kind": "choice",
                    "name": qsTr("Key/value cache of a graphics card"),
                    "words": qsTr("In the computer's memory it leaves the card to the model, and answers are slower. "
                                + "Takes effect when the model is next loaded."),
                    "options": [
                        {"value": "device", "name": qsTr("On the card")},
                        {"value": "main", "name": qsTr("In the computer's memory")}
                    ]
                },
                {
                    "key": "guesses",
                    "kind": "choice",
                    "name": qsTr("Speed up answers by predicting ahead (results stay the same)"),
                    "words": qsTr("From the text itself, or by a small model with the same vocabulary. Takes effect "
                                + "when the model is next loaded."),
                    "options": page.app.services.model.guessChoices
                },
                {
                    "key": "threads",
                    "kind": "number",
                    "name": qsTr("Threads (0 = one per core)"),
                    "words": qsTr("Takes effect when the model is next loaded."),
                    "from": 0,
                    "to": 1024
                },
                {
                    "key": "contextTokens",
                    "kind": "number",
                    "name": qsTr("Context (tokens; 0 = as memory allows)"),
                    "words": qsTr("Takes effect when the model is next loaded."),
                    "from": 0,
                    "to": 1048576
                },
                {
                    "key": "restMinutes",
                    "kind": "number",
                    "name": qsTr("Unload an idle model after … minutes (0 = never)"),
                    "from": 0,
                    "to": 10000
                }
            ]
        },
        SettingsSection {
            title: qsTr("Your data")
            rows: [
                {
                    "key": "data",
                    "kind": "action",
                    "name": qsTr("Import, export, backups, and what takes room")
                },
                {
                    "key": "trash",
                    "kind": "action",
                    "name": qsTr("What was deleted can be restored for 30 days")
                }
            ]
        }
    ]

    function takeFocus() {
        search.forceActiveFocus();
    }
    function isFound(section: string, row: var): bool {
        const words = search.text.trim().toLowerCase().split(/\s+/);
        const text = [section, row.name, row.words ?? "", row.key, ...(Array.isArray(row.options) ? row.options : [])
            .map(option => option.name)].join(" ").toLowerCase();
        return words.every(word => text.includes(word));
    }

    objectName: "settingsPage"
    title: qsTr("Settings")
    Component.onCompleted: program.devices.refresh()

    tools: InputField {
        id: search
        objectName: "settingsSearch"
        focus: true
        Layout.preferredWidth: page.narrow ? 150 : 260
        label: qsTr("Search the settings")
        placeholderText: qsTr("Search")
    }

    PageColumn {
        id: column
        margin: page.margin

        Repeater {
            model: page.sections
            delegate: ColumnLayout {
                id: section

                required property SettingsSection modelData
                readonly property var found: modelData.rows.filter(row => page.isFound(modelData.title, row))

                Layout.fillWidth: true
                visible: found.length > 0
                spacing: Theme.m

                Text {
                    textFormat: Text.PlainText
                    Layout.fillWidth: true
                    Layout.topMargin: Theme.m
                    text: section.modelData.title
                    color: Theme.text
                    font.pixelSize: Theme.textSize
                    font.weight: Font.DemiBold
                    Accessible.role: Accessible.Heading
                    Accessible.name: text
                }
                Repeater {
                    model: section.found
                    delegate: SettingsRow {
                        Layout.fillWidth: true
                        app: page.app
                        narrow: page.narrow
                    }
                }
            }
        }
        Text {
            textFormat: Text.PlainText
            Layout.fillWidth: true
            Layout.topMargin: Theme.l
            visible: search.text.length === 0
            text: page.program.about
            color: Theme.mutedText
            font.pixelSize: Theme.smallSize
            wrapMode: Text.Wrap
        }
        TextButton {
            objectName: "restoreDefaults"
            visible: search.text.length === 0
            text: qsTr("Restore defaults")
            onClicked: page.settings.restoreDefaults()
        }
    }
}
