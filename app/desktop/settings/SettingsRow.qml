// One setting: what it is, what it does, and its value.
import QtQuick
import QtQuick.Templates as T
import Inglenook

Column {
    id: row

    required property var modelData
    required property AppModel app
    required property bool narrow
    readonly property Settings settings: app.services.settings
    readonly property string key: modelData.key
    readonly property bool isNumber: modelData.kind === "number"
    readonly property bool isAction: modelData.kind === "action"
    /// What is chosen; the language is the program's, and not the history's.
    readonly property var value: key === "language" ? app.program.language : settings[key]

    function set(value: var) {
        if (key === "language")
            app.program.language = value;
        else
            settings[key] = value;
    }

    spacing: Theme.xs

    // Not layouts: Qt 6.4's do not settle where texts that wrap decide heights at several depths.
    Item {
        width: row.width
        height: Math.max(words.height, beside.height)

        Column {
            id: words
            anchors.verticalCenter: parent.verticalCenter
            anchors.left: parent.left
            anchors.right: beside.left
            anchors.rightMargin: beside.active ? Theme.l : 0

            Text {
                textFormat: Text.PlainText
                width: parent.width
                text: row.modelData.name
                color: Theme.text
                font.pixelSize: Theme.smallSize
                wrapMode: Text.Wrap
            }
            Text {
                textFormat: Text.PlainText
                width: parent.width
                visible: text.length > 0
                text: row.modelData.words ?? ""
                color: Theme.mutedText
                font.pixelSize: Theme.smallSize - 1
                wrapMode: Text.Wrap
            }
        }
        Loader {
            id: beside
            anchors.right: parent.right
            anchors.top: parent.top
            active: row.isNumber || row.isAction
            sourceComponent: row.isNumber ? numberComponent : actionComponent
        }
        Component {
            id: numberComponent
            NumberField {
                width: 110
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
        Component {
            id: actionComponent
            TextButton {
                objectName: "settings-" + row.key
                text: row.app.services.actions.words(row.key)
                onClicked: row.app.services.actions.run(row.key)
            }
        }
    }
    Loader {
        width: row.width
        active: row.modelData.kind === "choice"
        visible: active
        sourceComponent: Choices {
            label: row.modelData.name
            options: row.modelData.options
            value: row.value
            prefix: row.key
            onPicked: value => row.set(value)
        }
    }
    Loader {
        width: row.width
        active: row.modelData.kind === "text"
        visible: active
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
