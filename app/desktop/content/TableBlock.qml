// A table, or a piece of one; scrolls sideways when it is wider than the page.
import QtQuick
import Inglenook

BlockFrame {
    id: table

    required property bool continued
    required property real scrolledTo

    readonly property real tableWidth: words.document.tableWidth
    readonly property real bar: table.continued || tableWidth <= bodyWidth ? 0 : Theme.m

    text: words
    naturalWidth: tableWidth
    bodyHeight: words.implicitHeight + bar

    Sideways {
        width: parent.width
        height: parent.height
        contentWidth: Math.max(width, table.tableWidth)
        contentHeight: height
        barShown: !table.continued
        scrolledTo: table.scrolledTo
        onScrolled: x => table.list.rows.setScroll(table.index, x)

        SelectableText {
            id: words
            x: table.rightToLeft ? parent.width - width : 0
            width: Math.max(1, table.tableWidth)
            block: table.block
            selected: table.selected
            document.rightToLeft: table.rightToLeft
            Accessible.name: qsTr("Table: %1").arg(document.plain)
        }
        Rectangle {
            readonly property int position: words.document.belowHead

            visible: position >= 0
            x: words.x
            y: visible ? words.positionToRectangle(position).y - Theme.s + 0 * words.contentHeight : 0
            width: table.tableWidth
            height: 1
            color: Theme.mutedText
            opacity: 0.6
        }
    }
}
