// Why Inglenook cannot start: one sentence, and nothing else that works.
import QtQuick
import QtQuick.Templates as T
import Inglenook

T.ApplicationWindow {
    id: window

    required property string sentence

    width: 480
    height: label.implicitHeight + 2 * Theme.xl
    minimumWidth: 360
    visible: true
    title: "Inglenook"
    color: Theme.window

    Text {
        id: label
        objectName: "refusal"
        x: Theme.xl
        y: Theme.xl
        width: window.width - 2 * x
        text: window.sentence
        textFormat: Text.PlainText
        color: Theme.text
        font.pixelSize: Theme.textSize
        wrapMode: Text.WrapAtWordBoundaryOrAnywhere
        Accessible.role: Accessible.AlertMessage
        Accessible.name: text
    }
    Shortcut {
        sequences: [StandardKey.Quit, StandardKey.Cancel]
        onActivated: window.close()
    }
}
