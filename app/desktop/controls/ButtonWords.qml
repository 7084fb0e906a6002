// The words of a button.
import QtQuick
import QtQuick.Templates as T
import Inglenook

Text {
    required property T.AbstractButton button
    required property bool prominent

    text: button.text
    textFormat: Text.PlainText
    color: prominent ? Theme.accentText : button.checked ? Theme.accent : Theme.text
    font.pixelSize: Theme.smallSize
    font.weight: Font.Medium
    horizontalAlignment: Text.AlignHCenter
    verticalAlignment: Text.AlignVCenter
    elide: Text.ElideRight
}
