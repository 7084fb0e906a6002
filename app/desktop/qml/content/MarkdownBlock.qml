// One block of an answer with its place in lists and quotations.
import QtQuick
import Inglenook

Item {
    id: block

    required property AppModel app
    required property int index
    required property int kind
    required property int level
    required property int indent
    required property int quote
    required property string marker
    required property string html
    required property string plain
    required property string language
    required property var rows
    required property var columns

    readonly property bool rightToLeft: rtlStart.test(plain)
    /// The first letter of a paragraph decides its direction.
    readonly property var rtlStart: /^[^A-Za-z\u00c0-\u024f\u0370-\u058f\u3040-\u9fff\uac00-\ud7af]*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/
    readonly property real inset: quote * Theme.l + indent * Theme.xl
    readonly property bool mirrored: rightToLeft && kind !== BlockListModel.Code

    /// Space above: what belongs together stands together.
    readonly property real gap: {
        if (index === 0)
            return 0;
        if (kind === BlockListModel.Heading)
            return Theme.xl;
        return indent > 0 ? Theme.xs : Theme.m;
    }

    implicitHeight: gap + content.height

    Repeater {
        model: block.quote
        Rectangle {
            required property int index

            x: block.mirrored ? block.width - index * Theme.l - width : index * Theme.l
            y: block.gap
            width: 3
            height: content.height
            radius: 1
            color: Theme.line
        }
    }
    Text {
        textFormat: Text.PlainText
        x: block.mirrored ? block.width - block.inset + Theme.s : block.inset - width - Theme.s
        y: block.gap
        visible: block.marker.length > 0
        text: block.marker
        color: Theme.mutedText
        font.pixelSize: Theme.textSize
        lineHeight: Theme.lineHeight / 100
    }
    Loader {
        id: content
        x: block.mirrored ? 0 : block.inset
        y: block.gap
        width: block.width - block.inset
        sourceComponent: {
            switch (block.kind) {
            case BlockListModel.Code:
                return codeBlock;
            case BlockListModel.Table:
                return tableBlock;
            case BlockListModel.Rule:
                return rule;
            case BlockListModel.Reasoning:
                return reasoningBlock;
            default:
                return textBlock;
            }
        }
    }

    Component {
        id: textBlock
        TextBlock {
            app: block.app
            html: block.html
            rightToLeft: block.rightToLeft
            heading: block.kind === BlockListModel.Heading ? block.level : 0
        }
    }
    Component {
        id: codeBlock
        CodeBlock {
            app: block.app
            code: block.plain
            language: block.language
        }
    }
    Component {
        id: reasoningBlock
        ReasoningBlock {
            text: block.plain
            running: block.level > 0
            rightToLeft: block.rightToLeft
        }
    }
    Component {
        id: tableBlock
        TableBlock {
            app: block.app
            rows: block.rows
            columns: block.columns
            rightToLeft: block.rightToLeft
        }
    }
    Component {
        id: rule
        Item {
            implicitHeight: Theme.m

            Rectangle {
                anchors.verticalCenter: parent.verticalCenter
                width: parent.width
                height: 1
                color: Theme.line
            }
        }
    }
}
