// One setting: what it is, what it does, and its value.
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Inglenook

ColumnLayout {
    id: row

    required property var modelData
    required property AppModel app
    required property bool narrow
    readonly property Settings settings: app.services.settings
    readonly property string key: modelData.key
    readonly property bool isNumber: modelData.kind === "number"
    /// What is chosen; the language is the program's, and not the history's.
    readonly property var value: key === "language" ? app.program.language : settings[key]

    function set(value: var) {
        if (key === "language")
            app.program.language = value;
        else
            settings[key] = value;
    }

    spacing: Theme.xs

    RowLayout {
        Layout.fillWidth: true
        spacing: Theme.l

        ColumnLayout {
            Layout.fillWidth: true
            spacing: 0

            Text {
                textFormat: Text.PlainText
                Layout.fillWidth: true
                text: row.modelData.name
                color: Theme.text
                font.pixelSize: Theme.smallSize
                wrapMode: Text.Wrap
            }
            Text {
                textFormat: Text.PlainText
                Layout.fillWidth: true
                visible: text.length > 0
                text: row.modelData.words ?? ""
                color: Theme.mutedText
                font.pixelSize: Theme.smallSize - 1
                wrapMode: Text.Wrap
            }
        }
        Loader {
            active: row.isNumber
            visible: active
            Layout.alignment: Qt.AlignTop
            Layout.preferredWidth: 110
            sourceComponent: NumberField {
                fieldName: "settings-" + row.key
                label: row.modelData.name
                value: row.value
                from: row.modelData.from
                to: row.modelData.to
                decimals: row.modelData.decimals ?? 0
                mayBeEmpty: row.modelData.mayBeEmpty ?? false
                onEntered: value => row.set(typeof row.value === "number" ? Number(value) : value)
            }
        }
        Loader {
            active: row.modelData.kind === "action"
            visible: active
            sourceComponent: TextButton {
                objectName: "settings-" + row.key
                text: row.app.services.actions.words(row.key)
                onClicked: row.app.services.actions.run(row.key)
            }
        }
    }
    Loader {
        active: row.modelData.kind === "choice"
        visible: active
        Layout.fillWidth: true
        sourceComponent: Choices {
            label: row.modelData.name
            options: row.modelData.options
            value: row.value
            prefix: row.key
            onPicked: value => row.set(value)
        }
    }
    Loader {
        active: row.modelData.kind === "text"
        visible: active
        Layout.fillWidth: true
        sourceComponent: Rectangle {
            implicitHeight: Math.max(64, area.contentHeight + 2 * area.padding)
            radius: Theme.radius
            color: Theme.surface
            border.width: area.activeFocus ? 2 : 0
            border.color: Theme.accent

            T.TextArea {
                id: area
                objectName: "settings-" + row.key
                anchors.fill: parent
                padding: Theme.m
                wrapMode: TextEdit.Wrap
                textFormat: TextEdit.PlainText
                color: Theme.text
                selectionColor: Theme.selection
                selectedTextColor: Theme.text
                font.pixelSize: Theme.smallSize
                selectByMouse: true
                text: row.value
                onEditingFinished: row.set(text)
                Accessible.name: row.modelData.name
                Keys.onTabPressed: nextItemInFocusChain(true).forceActiveFocus(Qt.TabFocusReason)
                Keys.onBacktabPressed: nextItemInFocusChain(false).forceActiveFocus(Qt.BacktabFocusReason)
            }
        }
    }
}
