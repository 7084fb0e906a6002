// Shows where the keyboard is.
import QtQuick
import Inglenook

Rectangle {
    required property bool shown

    anchors.fill: parent
    radius: Theme.radius
    color: "transparent"
    border.width: 2
    border.color: Theme.accent
    visible: shown
}
