// What the model thought before it answered: one quiet line, which opens.
import QtQuick
import QtQuick.Templates as T
import Inglenook

Column {
    id: block

    required property string text
    /// The thought has no end yet.
    property bool running: false
    property bool rightToLeft: false
    property bool open: false

    objectName: "reasoning"
    spacing: Theme.xs

    T.Button {
        id: header
        width: implicitContentWidth + 2 * Theme.xs
        height: Theme.controlSize
        hoverEnabled: true
        // A click leaves the keyboard where it is, mostly in the composer.
        focusPolicy: Qt.TabFocus
        text: block.running ? qsTr("Thinking…") : qsTr("Thoughts")
        Accessible.name: block.open ? qsTr("Hide the thoughts") : qsTr("Show the thoughts")
        onClicked: block.open = !block.open

        contentItem: Row {
            spacing: Theme.xs

            Icon {
                anchors.verticalCenter: parent.verticalCenter
                name: block.open ? "chevron-down" : "chevron-right"
                color: Theme.mutedText
            }
            Text {
                textFormat: Text.PlainText
                anchors.verticalCenter: parent.verticalCenter
                text: header.text
                color: Theme.mutedText
                font.pixelSize: Theme.smallSize
            }
        }
        background: Rectangle {
            radius: Theme.radius
            color: header.down ? Theme.pressed : header.hovered ? Theme.hover : "transparent"

            FocusRing {
                shown: header.visualFocus
            }
        }
    }
    Row {
        visible: block.open
        width: parent.width
        spacing: Theme.m

        Rectangle {
            width: 3
            height: thoughts.height
            radius: 1
            color: Theme.line
        }
        TextEdit {
            id: thoughts
            width: parent.width - x
            text: block.open ? block.text : ""
            textFormat: TextEdit.PlainText
            readOnly: true
            selectByMouse: true
            wrapMode: TextEdit.Wrap
            color: Theme.mutedText
            selectionColor: Theme.selection
            selectedTextColor: Theme.text
            font.pixelSize: Theme.smallSize
            horizontalAlignment: block.rightToLeft ? TextEdit.AlignRight : TextEdit.AlignLeft
            Accessible.role: Accessible.EditableText
            Accessible.readOnly: true
            Accessible.name: text
        }
    }
}
