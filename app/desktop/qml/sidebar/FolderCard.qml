// What holds for all conversations of a folder, in place of the settings.
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Inglenook

Card {
    id: card

    required property Folders folders
    property double folder: 0

    function openFor(wanted: double) {
        folder = wanted;
        folders.edit(wanted);
        open();
    }

    objectName: "folderCard"
    title: folders.editedName
    onClosed: folders.store()

    body: ColumnLayout {
        spacing: Theme.m

        Text {
            Layout.fillWidth: true
            textFormat: Text.PlainText
            wrapMode: Text.Wrap
            text: qsTr("For new answers in this folder. What is empty is as in the settings.")
            color: Theme.mutedText
            font.pixelSize: Theme.smallSize
        }
        Text {
            textFormat: Text.PlainText
            text: qsTr("Instructions before every conversation")
            color: Theme.text
            font.pixelSize: Theme.smallSize
        }
        Rectangle {
            Layout.fillWidth: true
            implicitHeight: Math.max(96, prompt.implicitHeight)
            radius: Theme.radius
            color: Theme.surface
            border.width: prompt.activeFocus ? 2 : 0
            border.color: Theme.accent

            T.TextArea {
                id: prompt
                objectName: "folderPrompt"
                width: parent.width
                padding: Theme.m
                implicitHeight: contentHeight + 2 * padding
                wrapMode: TextEdit.Wrap
                textFormat: TextEdit.PlainText
                color: Theme.text
                selectionColor: Theme.selection
                selectedTextColor: Theme.text
                font.pixelSize: Theme.smallSize
                selectByMouse: true
                text: card.folders.editedPrompt
                Accessible.name: qsTr("Instructions before every conversation")
                onTextChanged: card.folders.editedPrompt = text
                Keys.onTabPressed: nextItemInFocusChain(true).forceActiveFocus(Qt.TabFocusReason)
                Keys.onBacktabPressed: nextItemInFocusChain(false).forceActiveFocus(Qt.BacktabFocusReason)
                Component.onCompleted: forceActiveFocus()
            }
        }
        RowLayout {
            spacing: Theme.m

            Text {
                Layout.fillWidth: true
                textFormat: Text.PlainText
                text: qsTr("Temperature")
                color: Theme.text
                font.pixelSize: Theme.smallSize
            }
            InputField {
                objectName: "folderTemperature"
                Layout.preferredWidth: 96
                label: qsTr("Temperature")
                placeholderText: card.folders.usualTemperature
                text: card.folders.editedTemperature
                validator: RegularExpressionValidator {
                    regularExpression: /|[01]([.,]\d{0,2})?|2([.,]0{0,2})?/
                }
                onTextEdited: card.folders.editedTemperature = text
            }
        }
    }
}
