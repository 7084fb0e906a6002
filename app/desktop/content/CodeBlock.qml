// Source code: left to right, as wide as it is, with a button that copies it. Pieces of one block make one box.
import QtQuick
import Inglenook

BlockFrame {
    id: code

    required property bool continued
    required property string label
    required property string plain
    required property int longestLine
    required property real scrolledTo

    readonly property real headHeight: goesOn ? 0 : label.length > 0 ? Theme.controlSize : Theme.m
    readonly property real lineWidth: Math.ceil(longestLine * metrics.averageCharacterWidth)

    text: words
    naturalWidth: lineWidth + 2 * Theme.m
    bodyHeight: headHeight + words.implicitHeight + (continued ? 0 : Theme.m)
    // Code is read from left to right, whatever stands around it.
    rightToLeft: false
    LayoutMirroring.enabled: false
    LayoutMirroring.childrenInherit: true

    FontMetrics {
        id: metrics
        font: words.font
    }
    Box {
        width: code.bodyWidth
        height: code.bodyHeight
        opensAbove: code.goesOn
        opensBelow: code.continued
    }
    Text {
        visible: !code.goesOn
        x: Theme.m
        width: parent.width - copy.width - x
        height: Theme.controlSize
        verticalAlignment: Text.AlignVCenter
        text: code.label
        textFormat: Text.PlainText
        color: Theme.mutedText
        font.pixelSize: Theme.smallSize - 1
        elide: Text.ElideRight
    }
    Loader {
        id: copy
        active: !code.goesOn
        anchors.right: parent.right
        anchors.rightMargin: Theme.xs
        sourceComponent: Row {
            IconButton {
                objectName: "saveCode"
                iconName: "save"
                hint: qsTr("Save the code as a file")
                onClicked: code.list.saveRequested(code.list.rows.wholeText(code.index), code.label)
            }
            CopyButton {
                hint: qsTr("Copy the code")
                onClicked: code.list.copyRequested(code.list.rows.wholeText(code.index))
            }
        }
    }
    Sideways {
        x: Theme.m
        y: code.headHeight
        width: parent.width - 2 * Theme.m
        height: parent.height - y
        contentWidth: Math.max(width, words.implicitWidth, code.lineWidth)
        contentHeight: height
        barShown: !code.continued
        scrolledTo: code.scrolledTo
        onScrolled: x => code.list.rows.setScroll(code.index, x)

        SelectableText {
            id: words
            width: parent.width
            block: code.block
            selected: code.selected
            growing: code.growing
            wrapMode: TextEdit.NoWrap
            horizontalAlignment: TextEdit.AlignLeft
            lineHeight: 112
            font.family: Theme.fixedFontFamily
            font.pixelSize: Theme.codeSize
            CodeColouring {
                colours: code.list.colours
                target: words.textDocument
                label: code.label
                code: code.plain
                growing: code.growing
                comment: Theme.codeComment
                string: Theme.codeString
                keyword: Theme.codeKeyword
                number: Theme.codeNumber
                name: Theme.codeName
                type: Theme.codeType
                variable: Theme.codeVariable
                added: Theme.codeAdded
                removed: Theme.codeRemoved
            }
            Accessible.name: code.label.length > 0 ? qsTr("Code, %1").arg(code.label) : qsTr("Code")
        }
    }
}
