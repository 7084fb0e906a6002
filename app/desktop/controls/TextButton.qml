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

    contentItem: Text {
        text: button.text
        textFormat: Text.PlainText
        color: button.prominent ? Theme.accentText : button.checked ? Theme.accent : Theme.text
        font.pixelSize: Theme.smallSize
        font.weight: Font.Medium
        horizontalAlignment: Text.AlignHCenter
        verticalAlignment: Text.AlignVCenter
        elide: Text.ElideRight
    }
    background: Rectangle {
        radius: Theme.radius
        color: button.prominent ? Theme.accent : Theme.surface

        Rectangle {
            anchors.fill: parent
            radius: parent.radius
            color: button.down ? Theme.pressed : button.hovered ? Theme.hover : "transparent"
        }
        FocusRing {
            shown: button.visualFocus
        }
    }
}
