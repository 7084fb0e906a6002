// A row that shows a block: in its place in the column, with the marks of lists and the bars of quotations before it.
import QtQuick
import Inglenook

Item {
    id: frame

    required property int index
    required property bool leads
    required property bool goesOn
    required property bool growing
    required property bool spaced
    required property bool rightToLeft
    required property var containers
    required property var marks
    required property var block

    readonly property RowList list: ListView.view as RowList
    default property alias content: body.data
    /// What can be selected in it, if there is any.
    property SelectableText text
    property real bodyHeight: text ? text.implicitHeight : 0
    /// As wide as it would like to be, if it may be wider than the column.
    property real naturalWidth: 0
    /// Distance to what stands above: what belongs together stands together.
    property real space: containers.length > 0 && !spaced && marks.length > 0 ? Theme.xs : Theme.m
    readonly property real bodyWidth: body.width
    readonly property point selected: {
        if (!list || list.selection.revision < 0)
            return Qt.point(0, 0);
        return list.selection.inRow(index);
    }

    readonly property real above: leads || goesOn ? 0 : space
    readonly property real columnX: list ? list.columnX : 0
    readonly property real columnWidth: list ? list.columnWidth : 0
    // Deep nesting leaves half of the column for the text.
    readonly property real indent: Math.min(1, columnWidth / 2 / Math.max(1, insetOf(containers.length, 1)))
    readonly property real inset: insetOf(containers.length, indent)
    readonly property bool wide: naturalWidth > columnWidth - inset

    function insetOf(depth: int, scale: real): real {
        let inset = 0;
        for (let i = 0; i < depth; ++i)
            inset += containers[i] === "quote" ? Theme.l : Theme.xl;
        return Math.round(inset * scale);
    }
    /// Where a bar or mark `x` wide of the container at `depth` stands.
    function containerX(depth: int, width: real): real {
        const before = insetOf(depth, indent);
        return rightToLeft ? columnX + columnWidth - before - width : columnX + before;
    }
    function offsetAt(x: real, y: real): int {
        if (!text || !text.visible)
            return y < height / 2 ? 0 : 1 << 30;
        const at = mapToItem(text, x, y);
        return text.document.offsetAt(text.positionAt(at.x, at.y));
    }
    function linkAt(x: real, y: real): string {
        if (!text || !text.visible)
            return "";
        const at = mapToItem(text, x, y);
        return text.linkAt(at.x, at.y);
    }
    /// Other links are shown and copied, and lead nowhere.
    function opens(link: string): bool {
        return text !== null && text.document.opens(link);
    }
    function caretAt(offset: int): rect {
        if (!text || !text.visible)
            return Qt.rect(0, 0, 0, height);
        const at = text.positionToRectangle(text.document.positionOf(offset));
        return mapFromItem(text, at.x, at.y, 1, at.height);
    }

    // Once: rows are made for one list.
    Component.onCompleted: {
        if (text && list)
            text.document.formulas = list.formulas;
    }
    width: ListView.view ? ListView.view.width : 0
    height: above + bodyHeight
    // A row that waits for its next use is nowhere, for the keyboard and for screen readers, too.
    ListView.onPooled: visible = false
    ListView.onReused: visible = true

    Repeater {
        model: frame.containers.length
        delegate: Rectangle {
            required property int index
            readonly property bool goesOn: index < frame.containers.length - frame.marks.length

            visible: frame.containers[index] === "quote"
            x: frame.containerX(index, width)
            y: goesOn ? 0 : frame.above
            width: 3
            height: frame.height - y
            color: Theme.line
        }
    }
    Repeater {
        model: frame.marks.length
        delegate: Text {
            required property int index
            readonly property int depth: frame.containers.length - frame.marks.length + index
            readonly property real end: frame.insetOf(depth + 1, frame.indent) - Theme.s

            text: frame.marks[index]
            textFormat: Text.PlainText
            x: frame.rightToLeft ? frame.columnX + frame.columnWidth - end : frame.columnX + end - width
            y: frame.above
            color: Theme.mutedText
            font.pixelSize: Theme.textSize
            lineHeight: Theme.lineHeight / 100
        }
    }
    Item {
        id: body

        x: {
            if (frame.wide)
                return (frame.width - width) / 2;
            return frame.columnX + (frame.rightToLeft ? 0 : frame.inset);
        }
        y: frame.above
        width: frame.wide ? Math.min(frame.naturalWidth, frame.width - 2 * Theme.l) : frame.columnWidth - frame.inset
        height: frame.bodyHeight
    }
    Binding {
        target: frame.text ? frame.text.document : null
        property: "growing"
        value: frame.growing
        when: frame.text !== null
    }
    Loader {
        parent: frame.text
        active: frame.list !== null && frame.list.found.text.length > 0 && frame.text !== null
        sourceComponent: Marks {
            words: frame.list.found
            document: frame.text.document
        }
    }
}
