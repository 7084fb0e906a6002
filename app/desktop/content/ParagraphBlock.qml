// A paragraph.
import QtQuick
import Inglenook

BlockFrame {
    id: paragraph

    text: words

    SelectableText {
        id: words
        width: paragraph.bodyWidth
        block: paragraph.block
        selected: paragraph.selected
        growing: paragraph.growing
        horizontalAlignment: paragraph.rightToLeft ? TextEdit.AlignRight : TextEdit.AlignLeft
    }
}
