// One of several values, as a button with words. Looks like a TextButton; screen readers are told by the type of a
// control what it is (in Qt 6.4 by nothing else).
import QtQuick
import QtQuick.Templates as T
import Inglenook

T.RadioButton {
    id: button

    property bool prominent: checked

    implicitWidth: implicitContentWidth + 2 * Theme.l
    implicitHeight: Theme.controlSize
    hoverEnabled: true
    Keys.onReturnPressed: clicked()
    Keys.onEnterPressed: clicked()
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
