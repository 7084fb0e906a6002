// A formula on lines of its own: drawn, or as it was written; scrolls sideways when it is wider than the page.
import QtQuick
import Inglenook

BlockFrame {
    id: formula

    required property real scrolledTo

    readonly property bool drawn: words.document.draws
    readonly property real bar: drawn && words.document.widestFormula > bodyWidth ? Theme.m : 0

    text: words
    naturalWidth: drawn ? words.document.widestFormula : 0
    bodyHeight: words.implicitHeight + bar

    Sideways {
        width: parent.width
        height: parent.height
        contentWidth: words.width
        contentHeight: height
        scrolledTo: formula.scrolledTo
        onScrolled: x => formula.list.rows.setScroll(formula.index, x)

        SelectableText {
            id: words
            width: Math.max(formula.bodyWidth, Math.ceil(words.document.widestFormula))
            block: formula.block
            selected: formula.selected
            horizontalAlignment: TextEdit.AlignHCenter
        }
    }
}
