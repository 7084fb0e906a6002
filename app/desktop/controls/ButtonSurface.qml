// What lies under the words of a button.
import QtQuick
import QtQuick.Templates as T
import Inglenook

Rectangle {
    id: surface

    required property T.AbstractButton button
    required property bool prominent

    radius: Theme.radius
    color: prominent ? Theme.accent : Theme.surface

    Rectangle {
        anchors.fill: parent
        radius: surface.radius
        color: surface.button.down ? Theme.pressed : surface.button.hovered ? Theme.hover : "transparent"
    }
    FocusRing {
        shown: surface.button.visualFocus
    }
}
