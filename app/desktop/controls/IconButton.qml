// A quiet square button with a line icon; `hint` is its name for everyone who cannot see the icon.
import QtQuick
import QtQuick.Templates as T
import Inglenook

T.Button {
    id: button

    required property string iconName
    required property string hint
    property color tint: Theme.mutedText
    /// It points to the other side.
    property bool turned: false

    implicitWidth: Theme.controlSize
    implicitHeight: Theme.controlSize
    hoverEnabled: true
    Keys.onReturnPressed: clicked()
    Keys.onEnterPressed: clicked()
    // A click leaves the keyboard where it is, mostly in the composer.
    focusPolicy: Qt.TabFocus
    opacity: enabled ? 1 : 0.4
    Accessible.name: hint

    contentItem: Item {
        Icon {
            anchors.centerIn: parent
            width: Theme.iconSize(implicitWidth)
            height: Theme.iconSize(implicitHeight)
            rotation: button.turned ? 180 : 0
            name: button.iconName
            color: button.tint
        }
    }
    background: Rectangle {
        radius: Theme.radius
        color: button.down ? Theme.pressed : button.hovered ? Theme.hover : "transparent"

        FocusRing {
            shown: button.visualFocus
        }
    }

    Loader {
        active: button.hovered
        sourceComponent: Hint {
            parent: button
            text: button.hint
            visible: button.hovered && !button.down
        }
    }
}
