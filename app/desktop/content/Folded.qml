// What is not the answer itself: one quiet line, which opens.
import QtQuick
import QtQuick.Templates as T
import Inglenook

BlockFrame {
    id: folded

    required property bool open
    required property bool isUser
    required property string title
    property string iconName

    readonly property real headHeight: goesOn ? 0 : Theme.controlSize

    text: words
    bodyHeight: headHeight + (open ? words.implicitHeight : 0)

    T.Button {
        id: head
        visible: !folded.goesOn
        x: folded.isUser ? folded.bodyWidth - width : -Theme.xs
        width: Math.min(implicitContentWidth + 2 * Theme.xs, folded.bodyWidth)
        height: Theme.controlSize
        hoverEnabled: true
        Keys.onReturnPressed: clicked()
        Keys.onEnterPressed: clicked()
        // A click leaves the keyboard where it is, mostly in the composer.
        focusPolicy: Qt.TabFocus
        text: folded.title
        Accessible.name: folded.open ? qsTr("Hide: %1").arg(text) : qsTr("Show: %1").arg(text)
        onClicked: folded.list.rows.toggle(folded.index)

        contentItem: Row {
            spacing: Theme.xs

            Icon {
                anchors.verticalCenter: parent.verticalCenter
                name: folded.open ? "chevron-down" : "chevron-right"
                color: Theme.mutedText
            }
            Icon {
                visible: folded.iconName.length > 0
                anchors.verticalCenter: parent.verticalCenter
                name: folded.iconName
                color: Theme.mutedText
                width: Theme.iconSize(15)
                height: Theme.iconSize(15)
            }
            Text {
                textFormat: Text.PlainText
                anchors.verticalCenter: parent.verticalCenter
                text: head.text
                color: Theme.mutedText
                font.pixelSize: Theme.smallSize
                elide: Text.ElideRight
            }
        }
        background: Rectangle {
            radius: Theme.radius
            color: head.down ? Theme.pressed : head.hovered ? Theme.hover : "transparent"

            FocusRing {
                shown: head.visualFocus
            }
        }
    }
    Rectangle {
        visible: folded.open
        y: folded.headHeight
        width: 3
        height: words.implicitHeight
        color: Theme.line
    }
    SelectableText {
        id: words
        visible: folded.open
        x: Theme.l
        y: folded.headHeight
        width: folded.bodyWidth - x
        block: folded.block
        selected: folded.selected
        growing: folded.growing
        color: Theme.mutedText
        font.pixelSize: Theme.smallSize
        horizontalAlignment: folded.rightToLeft ? TextEdit.AlignRight : TextEdit.AlignLeft
    }
}
