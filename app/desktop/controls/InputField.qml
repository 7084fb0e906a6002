// One line of text.
import QtQuick
import QtQuick.Templates as T
import Inglenook

T.TextField {
    id: field

    required property string label
    property bool isWrong: !acceptableInput

    implicitHeight: Theme.controlSize
    implicitWidth: 160
    leftPadding: Theme.m
    rightPadding: Theme.m
    verticalAlignment: TextInput.AlignVCenter
    color: Theme.text
    selectionColor: Theme.selection
    selectedTextColor: Theme.text
    placeholderTextColor: Theme.mutedText
    font.pixelSize: Theme.smallSize
    selectByMouse: true
    inputMethodHints: Theme.inputHints
    Accessible.name: label

    background: Rectangle {
        radius: Theme.radius
        color: Theme.surface
        border.width: field.activeFocus ? 2 : field.isWrong ? 1 : 0
        border.color: field.isWrong ? Theme.danger : Theme.accent
    }

    Text {
        textFormat: Text.PlainText
        x: field.leftPadding
        width: field.width - field.leftPadding - field.rightPadding
        anchors.verticalCenter: parent.verticalCenter
        text: field.placeholderText
        color: field.placeholderTextColor
        font: field.font
        elide: Text.ElideRight
        visible: field.length === 0 && field.preeditText.length === 0
    }
}
