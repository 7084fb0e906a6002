// One of several values, of which one is chosen: buttons in a group that has a name.
import QtQuick
import Inglenook

Flow {
    id: choices

    required property string label
    /// Of each "value" and "name", and perhaps "words": what it is good for.
    required property var options
    required property var value
    /// That of a value that holds without being chosen.
    property var usual: undefined
    /// Of the buttons' names for tests: "theme-dark".
    property string prefix
    property real widest: width

    signal picked(var value)

    spacing: Theme.xs
    Accessible.role: Accessible.Grouping
    Accessible.name: label

    Repeater {
        model: choices.options
        ChoiceButton {
            required property var modelData

            objectName: choices.prefix + "-" + modelData.value
            width: Math.min(implicitWidth, choices.widest)
            text: modelData.name
            checked: choices.value === modelData.value || (choices.value === "" && choices.usual === modelData.value)
            prominent: choices.value === modelData.value
            Accessible.description: modelData.words ?? ""
            onClicked: choices.picked(modelData.value)
        }
    }
}
