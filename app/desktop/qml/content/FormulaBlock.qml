// A formula, as it was written.
import QtQuick
import Inglenook

BlockFrame {
    id: formula

    text: words

    SelectableText {
        id: words
        width: formula.bodyWidth
        block: formula.block
        selected: formula.selected
        font.family: Theme.fixedFontFamily
        font.pixelSize: Theme.codeSize
        horizontalAlignment: TextEdit.AlignHCenter
    }
}
