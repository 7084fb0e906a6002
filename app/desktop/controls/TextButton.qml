// A button with words. `prominent`: the one thing to do here.
import QtQuick
import QtQuick.Templates as T
import Inglenook

T.Button {
    id: button

    property bool prominent: false

    implicitWidth: implicitContentWidth + 2 * Theme.l
    implicitHeight: Theme.controlSize
    hoverEnabled: true
    Keys.onReturnPressed: clicked()
    Keys.onEnterPressed: clicked()
    // A click leaves the keyboard where it is, mostly in the composer.
    focusPolicy: Qt.TabFocus
    opacity: enabled ? 1 : 0.4
    Accessible.name: text

    contentItem: ButtonWords {
        button: button
        prominent: button.prominent
    }
    background: ButtonSurface {
        button: button
        prominent: button.prominent
    }
}
