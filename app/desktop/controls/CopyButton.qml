// Copies something, and says for a moment that it did.
import QtQuick
import Inglenook

IconButton {
    id: button

    objectName: "copyButton"
    iconName: copied.running ? "check" : "copy"
    tint: copied.running ? Theme.accent : Theme.mutedText
    Accessible.description: copied.running ? qsTr("Copied") : ""
    onClicked: copied.restart()

    Timer {
        id: copied
        interval: 1500
    }
}
