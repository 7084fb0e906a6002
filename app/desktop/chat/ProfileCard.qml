// What holds for the answers of a chat, a folder or a model, in place of what holds without it.
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Inglenook

Card {
    id: card

    required property AppModel app
    readonly property ProfileEditor editor: app.chats.shownPage.profiles

    objectName: "profileCard"
    title: editor.title
    onClosed: editor.close()
    // It speaks of the chat that was shown.
    onEditorChanged: close()

    component Choices: Flow {
        id: choices

        required property var field
        readonly property string chosen: card.editor.revision >= 0 ? card.editor.value(field.key) : ""

        spacing: Theme.xs

        Repeater {
            model: choices.field.choices
            ChoiceButton {
                required property var modelData
                readonly property bool isSet: choices.chosen === modelData.value

                objectName: choices.field.key + "-" + modelData.value
                width: Math.min(implicitWidth, choices.width)
                text: modelData.name
                // What holds without being set is marked as well.
                checked: isSet || (choices.chosen.length === 0 && choices.field.usual === modelData.value)
                prominent: isSet
                // Once more: as it was.
                onClicked: card.editor.setValue(choices.field.key, isSet ? "" : modelData.value)
            }
        }
    }
    component Words: Rectangle {
        id: words

        required property var field
        readonly property bool isNone: card.editor.revision >= 0 && card.editor.isSet(field.key) && area.length === 0

        implicitHeight: Math.max(72, area.implicitHeight)
        radius: Theme.radius
        color: Theme.surface
        border.width: area.activeFocus ? 2 : 0
        border.color: Theme.accent

        T.TextArea {
            id: area
            objectName: "profile-" + words.field.key
            width: parent.width
            padding: Theme.m
            implicitHeight: contentHeight + 2 * padding
            wrapMode: TextEdit.Wrap
            textFormat: TextEdit.PlainText
            color: Theme.text
            selectionColor: Theme.selection
            selectedTextColor: Theme.text
            font.pixelSize: Theme.smallSize
            font.family: words.field.kind === "code" ? Theme.fixedFontFamily : Application.font.family
            selectByMouse: true
            inputMethodHints: Theme.inputHints
            text: card.editor.revision >= 0 ? card.editor.value(words.field.key) : ""
            Accessible.name: words.field.name
            onTextChanged: card.editor.setValue(words.field.key, text)
            Keys.onTabPressed: nextItemInFocusChain(true).forceActiveFocus(Qt.TabFocusReason)
            Keys.onBacktabPressed: nextItemInFocusChain(false).forceActiveFocus(Qt.BacktabFocusReason)
            Component.onCompleted: if (words.field.key === "systemPrompt")
                forceActiveFocus()

            Text {
                x: area.leftPadding
                y: area.topPadding
                width: area.width - 2 * area.padding
                visible: area.length === 0 && area.preeditText.length === 0
                text: words.isNone ? words.field.none : words.field.usual
                textFormat: Text.PlainText
                color: Theme.mutedText
                font: area.font
                elide: Text.ElideRight
                maximumLineCount: 2
                wrapMode: Text.Wrap
            }
        }
    }

    body: Flickable {
        implicitHeight: column.implicitHeight
        contentHeight: column.implicitHeight
        clip: true
        boundsBehavior: Flickable.StopAtBounds
        T.ScrollBar.vertical: ScrollThumb {}

        ColumnLayout {
            id: column
            width: parent.width - Theme.m // beside the scroll bar
            spacing: Theme.m

            Text {
                Layout.fillWidth: true
                textFormat: Text.PlainText
                wrapMode: Text.Wrap
                text: qsTr("Applies to new answers. Empty fields inherit the value shown in grey.")
                color: Theme.mutedText
                font.pixelSize: Theme.smallSize
            }
            Repeater {
                model: card.editor.fields
                delegate: ColumnLayout {
                    id: row

                    required property var modelData
                    readonly property bool isSet: card.editor.revision >= 0 && card.editor.isSet(modelData.key)
                    readonly property bool isNone: isSet && card.editor.value(modelData.key).length === 0
                    readonly property bool isForm: modelData.key === "formText"

                    Layout.fillWidth: true
                    spacing: Theme.xs
                    visible: !isForm || (card.editor.revision >= 0 && !["", "free"].includes(card.editor.value("form")))

                    RowLayout {
                        Layout.fillWidth: true
                        spacing: Theme.m

                        ColumnLayout {
                            Layout.fillWidth: true
                            spacing: 0

                            Text {
                                Layout.fillWidth: true
                                textFormat: Text.PlainText
                                text: row.modelData.name
                                color: Theme.text
                                font.pixelSize: Theme.smallSize
                                wrapMode: Text.Wrap
                            }
                            Text {
                                objectName: "origin-" + row.modelData.key
                                Layout.fillWidth: true
                                textFormat: Text.PlainText
                                visible: !row.isForm
                                text: row.isSet ? qsTr("set here") : row.modelData.origin
                                color: row.isSet ? Theme.accent : Theme.mutedText
                                font.pixelSize: Theme.smallSize - 1
                            }
                        }
                        Loader {
                            Layout.preferredWidth: 96
                            active: row.modelData.kind === "number"
                            visible: active
                            sourceComponent: NumberField {
                                fieldName: "profile-" + row.modelData.key
                                label: row.modelData.name
                                value: card.editor.value(row.modelData.key)
                                usual: row.modelData.usual
                                from: row.modelData.from
                                to: row.modelData.to
                                decimals: row.modelData.decimals
                                mayBeEmpty: true
                                onEntered: value => card.editor.setValue(row.modelData.key, value)
                            }
                        }
                    }
                    Loader {
                        Layout.fillWidth: true
                        active: row.modelData.kind !== "number"
                        visible: active
                        sourceComponent: row.modelData.kind === "choice" ? choicesComponent : wordsComponent

                        Component {
                            id: wordsComponent
                            Words {
                                field: row.modelData
                            }
                        }
                        Component {
                            id: choicesComponent
                            Choices {
                                field: row.modelData
                            }
                        }
                    }
                    Flow {
                        id: instead

                        readonly property bool mayBeNone: row.modelData.none.length > 0
                            && (row.isNone || (!row.isSet && row.modelData.usual.length > 0))
                        readonly property bool mayBegin: row.modelData.key === "chatTemplate" && !row.isSet
                            && card.editor.ownTemplate.length > 0

                        Layout.fillWidth: true
                        spacing: Theme.xs
                        visible: mayBeNone || mayBegin

                        // In place of what holds without this layer, where anything does.
                        TextButton {
                            objectName: "none-" + row.modelData.key
                            visible: instead.mayBeNone
                            text: row.modelData.none
                            checkable: true
                            checked: row.isNone
                            prominent: row.isNone
                            onClicked: row.isNone
                                ? card.editor.unset(row.modelData.key) : card.editor.setNone(row.modelData.key)
                        }
                        TextButton {
                            objectName: "own-" + row.modelData.key
                            visible: instead.mayBegin
                            text: qsTr("Begin with the model's own")
                            onClicked: card.editor.setValue(row.modelData.key, card.editor.ownTemplate)
                        }
                    }
                }
            }
            Text {
                objectName: "formProblem"
                Layout.fillWidth: true
                textFormat: Text.PlainText
                wrapMode: Text.Wrap
                visible: text.length > 0
                text: card.editor.problem
                color: Theme.danger
                font.pixelSize: Theme.smallSize
                Accessible.role: Accessible.AlertMessage
                Accessible.name: text
            }
            Text {
                Layout.fillWidth: true
                textFormat: Text.PlainText
                wrapMode: Text.Wrap
                visible: sample.visible
                text: qsTr("What the model would see of a short chat:")
                color: Theme.mutedText
                font.pixelSize: Theme.smallSize
            }
            Text {
                id: sample
                objectName: "templateSample"
                Layout.fillWidth: true
                textFormat: Text.PlainText
                wrapMode: Text.Wrap
                visible: text.length > 0
                text: card.editor.sample
                color: Theme.text
                font.pixelSize: Theme.smallSize
                font.family: Theme.fixedFontFamily
                Accessible.role: Accessible.StaticText
                Accessible.name: text
            }
        }
    }
}
