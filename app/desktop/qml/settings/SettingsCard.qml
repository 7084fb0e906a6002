// What can be chosen: the look, how answers are written, and what the engine may use.
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Inglenook

Card {
    id: card

    required property AppModel app
    readonly property Settings settings: app.settings

    objectName: "settingsCard"
    title: qsTr("Settings")

    component Label: Text {
        textFormat: Text.PlainText
        Layout.fillWidth: true
        color: Theme.text
        font.pixelSize: Theme.smallSize
        wrapMode: Text.Wrap
    }
    component NumberField: InputField {
        required property string key

        Layout.preferredWidth: 96
        Layout.alignment: Qt.AlignRight
        text: card.settings[key]
        onEditingFinished: card.settings[key] = text
    }

    body: Flickable {
        implicitHeight: grid.implicitHeight
        contentHeight: grid.implicitHeight
        clip: true
        boundsBehavior: Flickable.StopAtBounds
        T.ScrollBar.vertical: ScrollThumb {}
        Component.onCompleted: card.app.devices.refresh()

        GridLayout {
            id: grid
            width: parent.width - Theme.m // beside the scroll bar
            columns: 2
            columnSpacing: Theme.l
            rowSpacing: Theme.m

            Label {
                Layout.columnSpan: 2
                text: qsTr("Colours")
            }
            Row {
                Layout.columnSpan: 2
                spacing: Theme.xs

                Repeater {
                    model: [
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
                    TextButton {
                        required property var modelData

                        objectName: "theme-" + modelData.value
                        text: modelData.name
                        checked: card.settings.theme === modelData.value
                        Accessible.role: Accessible.RadioButton
                        Accessible.checked: checked
                        onClicked: card.settings.theme = modelData.value
                    }
                }
            }

            Label {
                Layout.columnSpan: 2
                text: qsTr("Device")
            }
            Flow {
                id: devices
                Layout.columnSpan: 2
                Layout.fillWidth: true
                spacing: Theme.xs

                Repeater {
                    model: card.app.devices.choices
                    TextButton {
                        required property var modelData

                        objectName: "device-" + modelData.value
                        width: Math.min(implicitWidth, devices.width)
                        text: modelData.name
                        checked: card.settings.device === modelData.value
                        Accessible.role: Accessible.RadioButton
                        Accessible.checked: checked
                        onClicked: card.settings.device = modelData.value
                    }
                }
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
                    KeyNavigation.tab: temperature
                    Accessible.name: qsTr("Instructions before every conversation")
                }
            }

            Label {
                text: qsTr("Temperature (0 always takes the likeliest word)")
            }
            NumberField {
                id: temperature
                key: "temperature"
                label: qsTr("Temperature")
                validator: RegularExpressionValidator {
                    regularExpression: /[0-4](\.\d{1,2})?/
                }
            }
            Label {
                text: qsTr("Choose among the likeliest (0 means all)")
            }
            NumberField {
                key: "topK"
                label: qsTr("Top k")
                validator: IntValidator {
                    bottom: 0
                    top: 100000
                }
            }
            Label {
                text: qsTr("Share of probability to choose from")
            }
            NumberField {
                key: "topP"
                label: qsTr("Top p")
                validator: RegularExpressionValidator {
                    regularExpression: /0(\.\d{1,3})?|1(\.0{1,3})?/
                }
            }
            Label {
                text: qsTr("Seed (empty: a new one for every answer)")
            }
            NumberField {
                key: "seed"
                label: qsTr("Seed")
                validator: RegularExpressionValidator {
                    regularExpression: /\d{0,19}/
                }
            }
            Label {
                text: qsTr("Threads (0: one per core); from the next load")
            }
            NumberField {
                key: "threads"
                label: qsTr("Threads")
                validator: IntValidator {
                    bottom: 0
                    top: 1024
                }
            }
            Label {
                text: qsTr("Context in tokens (0: as memory allows); from the next load")
            }
            NumberField {
                key: "contextTokens"
                label: qsTr("Context in tokens")
                validator: IntValidator {
                    bottom: 0
                    top: 1048576
                }
            }
            Label {
                text: card.app.actions.hint("shortcuts")
                color: Theme.mutedText
            }
            Label {
                Layout.columnSpan: 2
                text: card.app.about
                color: Theme.mutedText
            }
            TextButton {
                Layout.alignment: Qt.AlignRight
                text: qsTr("Restore defaults")
                onClicked: card.settings.restoreDefaults()
            }
        }
    }
}
