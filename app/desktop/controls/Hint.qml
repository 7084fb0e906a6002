// The name of a control, shown while the pointer rests on it.
import QtQuick
import QtQuick.Templates as T
import Inglenook

T.ToolTip {
    id: hint

    delay: 600
    margins: Theme.s
    padding: Theme.s
    y: parent ? parent.height + Theme.xs : 0
    x: parent ? (parent.width - width) / 2 : 0
    implicitWidth: contentItem.implicitWidth + leftPadding + rightPadding
    implicitHeight: contentItem.implicitHeight + topPadding + bottomPadding
    closePolicy: T.Popup.CloseOnEscape | T.Popup.CloseOnPressOutsideParent

    contentItem: Text {
        text: hint.text
        color: Theme.window
        font.pixelSize: Theme.smallSize
        textFormat: Text.PlainText
    }
    background: Rectangle {
        color: Theme.text
        radius: Theme.radius
    }
}
