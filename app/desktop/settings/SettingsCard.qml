// What can be chosen: the look, how answers are written, and what the engine may use.
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Inglenook

Card {
    id: card

    required property Settings settings
    required property DeviceChoices devices
    required property ModelListModel models
    /// Which version this is, and how old.
    required property string about

    signal dataWanted

    objectName: "settingsCard"
    title: qsTr("Settings")

    component Label: Text {
        textFormat: Text.PlainText
        Layout.fillWidth: true
        color: Theme.text
        font.pixelSize: Theme.smallSize
        wrapMode: Text.Wrap
    }
    component Section: Text {
        textFormat: Text.PlainText
        Layout.fillWidth: true
        Layout.columnSpan: 2
        Layout.topMargin: Theme.m
        color: Theme.mutedText
        font.pixelSize: Theme.smallSize - 1
        font.weight: Font.DemiBold
        Accessible.role: Accessible.Heading
        Accessible.name: text
    }
    component Number: NumberField {
        required property string key

        fieldName: "settings-" + key
        Layout.preferredWidth: 96
        Layout.alignment: Qt.AlignRight
        value: card.settings[key]
        onEntered: value => card.settings[key] = value
    }
    /// One of several values, of which `value` is chosen. Of each "value" and "name".
    component Choice: Flow {
        id: choice

        required property string key
        required property var choices

        Layout.columnSpan: 2
        Layout.fillWidth: true
        spacing: Theme.xs

        Repeater {
            model: choice.choices
            TextButton {
                required property var modelData

                objectName: choice.key + "-" + modelData.value
                width: Math.min(implicitWidth, choice.width)
                text: modelData.name
                checked: card.settings[choice.key] === modelData.value
                prominent: checked
                Accessible.role: Accessible.RadioButton
                Accessible.checked: checked
                onClicked: card.settings[choice.key] = modelData.value
            }
        }
    }

    body: Flickable {
        implicitHeight: grid.implicitHeight
        contentHeight: grid.implicitHeight
        clip: true
        boundsBehavior: Flickable.StopAtBounds
        T.ScrollBar.vertical: ScrollThumb {}
        Component.onCompleted: card.devices.refresh()

        GridLayout {
            id: grid
            width: parent.width - Theme.m // beside the scroll bar
            columns: 2
            columnSpacing: Theme.l
            rowSpacing: Theme.m

            Section {
                Layout.topMargin: 0
                text: qsTr("Look")
            }
            Choice {
                key: "theme"
                choices: [
                    {
                        "value": "system",
                        "name": qsTr("System")
                    },
                    {
                        "value": "light",
                        "name": qsTr("Light")
                    },
                    {
                        "value": "dark",
                        "name": qsTr("Dark")
                    }
                ]
            }
            Label {
                text: qsTr("Size of the text in per cent")
            }
            Number {
                key: "textScale"
                label: qsTr("Size of the text")
                from: 70
                to: 200
            }

            Section {
                text: qsTr("Answers")
            }
            Label {
                Layout.columnSpan: 2
                text: qsTr("Instructions before every conversation")
            }
            Rectangle {
                Layout.columnSpan: 2
                Layout.fillWidth: true
                implicitHeight: Math.max(64, prompt.implicitHeight)
                radius: Theme.radius
                color: Theme.surface

                T.TextArea {
                    id: prompt
                    anchors.fill: parent
                    padding: Theme.m
                    implicitHeight: contentHeight + 2 * padding
                    wrapMode: TextEdit.Wrap
                    color: Theme.text
                    selectionColor: Theme.selection
                    selectedTextColor: Theme.text
                    font.pixelSize: Theme.smallSize
                    selectByMouse: true
                    text: card.settings.systemPrompt
                    onEditingFinished: card.settings.systemPrompt = text
                    KeyNavigation.priority: KeyNavigation.BeforeItem
                    KeyNavigation.tab: maxTokens
                    Accessible.name: qsTr("Instructions before every conversation")
                }
            }
            Label {
                text: qsTr("Longest answer in tokens (0: as the model likes)")
            }
            Number {
                id: maxTokens
                key: "maxTokens"
                label: qsTr("Longest answer in tokens")
                from: 0
                to: 1048576
            }
            Label {
                Layout.columnSpan: 2
                text: qsTr("When a conversation is longer than the model's context")
            }
            Choice {
                key: "whenFull"
                choices: [
                    {
                        "value": "drop_oldest",
                        "name": qsTr("Let the oldest messages go")
                    },
                    {
                        "value": "refuse",
                        "name": qsTr("Stop and ask")
                    }
                ]
            }
            Label {
                text: qsTr("Temperature (0 always takes the likeliest word)")
            }
            Number {
                key: "temperature"
                label: qsTr("Temperature")
                from: 0
                to: 5
                decimals: 2
            }
            Label {
                text: qsTr("Choose among the likeliest (0 means all)")
            }
            Number {
                key: "topK"
                label: qsTr("Top k")
                from: 0
                to: 100000
            }
            Label {
                text: qsTr("Share of probability to choose from")
            }
            Number {
                key: "topP"
                label: qsTr("Top p")
                from: 0
                to: 1
                decimals: 3
            }
            Label {
                text: qsTr("Seed (empty: a new one for every answer)")
            }
            Number {
                key: "seed"
                label: qsTr("Seed")
                from: 0
                to: 9223372036854775807
                mayBeEmpty: true
            }

            Label {
                Layout.columnSpan: 2
                text: qsTr("When a long answer ends while you do something else")
            }
            Choice {
                key: "notifies"
                choices: [
                    {
                        "value": true,
                        "name": qsTr("Tell me")
                    },
                    {
                        "value": false,
                        "name": qsTr("Stay quiet")
                    }
                ]
            }

            Section {
                text: qsTr("Engine")
            }
            Label {
                Layout.columnSpan: 2
                text: qsTr("Device")
            }
            Choice {
                key: "device"
                choices: card.devices.choices
            }
            Label {
                Layout.columnSpan: 2
                text: qsTr("Guess the next words, which makes answers faster and never others; a model that "
                         + "guesses is small, has the same vocabulary, and does so from the next load on")
            }
            Choice {
                key: "guesses"
                choices: card.models.guessChoices
            }
            Label {
                text: qsTr("Threads (0: one per core); from the next load")
            }
            Number {
                key: "threads"
                label: qsTr("Threads")
                from: 0
                to: 1024
            }
            Label {
                text: qsTr("Context in tokens (0: as memory allows); from the next load")
            }
            Number {
                key: "contextTokens"
                label: qsTr("Context in tokens")
                from: 0
                to: 1048576
            }

            Section {
                text: qsTr("Your data")
            }
            Label {
                text: qsTr("Other programs' chats, exports, backups, and what takes room")
            }
            TextButton {
                objectName: "settingsData"
                Layout.alignment: Qt.AlignRight
                text: qsTr("Your data…")
                onClicked: card.dataWanted()
            }

            Label {
                text: qsTr("Minutes without a question until the model gives its memory back (0: never)")
            }
            Number {
                key: "restMinutes"
                label: qsTr("Minutes until the model rests")
                from: 0
                to: 10000
            }

            Label {
                Layout.columnSpan: 2
                Layout.topMargin: Theme.m
                text: card.about
                color: Theme.mutedText
            }
            TextButton {
                objectName: "restoreDefaults"
                Layout.columnSpan: 2
                Layout.alignment: Qt.AlignRight
                text: qsTr("Restore defaults")
                onClicked: card.settings.restoreDefaults()
            }
        }
    }
}
