// A scroll bar that is only a thumb.
import QtQuick
import QtQuick.Templates as T
import Inglenook

T.ScrollBar {
    id: bar

    implicitWidth: orientation === Qt.Vertical ? 10 : 40
    implicitHeight: orientation === Qt.Vertical ? 40 : 10
    padding: 2
    minimumSize: 0.06
    visible: size < 1 && policy !== T.ScrollBar.AlwaysOff

    contentItem: Rectangle {
        radius: 3
        color: bar.pressed ? Theme.mutedText : Theme.line
        opacity: bar.active || bar.hovered ? 1 : 0.6
    }
}
