// What the person wrote, in a soft bubble. Pieces of a long text make one.
import QtQuick
import Inglenook

BlockFrame {
    id: question

    required property bool continued

    readonly property real maximumWidth: columnWidth * 0.88
    readonly property bool cut: goesOn || continued

    text: words
    space: Theme.xs
    bodyHeight: words.implicitHeight + (goesOn ? 0 : Theme.m) + (continued ? 0 : Theme.m)

    Box {
        anchors.right: parent.right
        width: question.cut ? question.maximumWidth : Math.min(words.implicitWidth + 2 * Theme.l, question.maximumWidth)
        height: question.bodyHeight
        radius: Theme.largeRadius
        opensAbove: question.goesOn
        opensBelow: question.continued

        SelectableText {
            id: words
            x: Theme.l
            y: question.goesOn ? 0 : Theme.m
            width: parent.width - 2 * Theme.l
            block: question.block
            selected: question.selected
            lineHeight: 100
            Accessible.name: qsTr("Your message")
        }
    }
}
