// What every key does.
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Inglenook

Card {
    id: card

    objectName: "shortcutsCard"
    title: qsTr("Shortcuts")

    body: Flickable {
        implicitHeight: grid.implicitHeight
        contentHeight: grid.implicitHeight
        clip: true
        boundsBehavior: Flickable.StopAtBounds
        T.ScrollBar.vertical: ScrollThumb {}

        ColumnLayout {
            id: grid
            width: parent.width
            spacing: Theme.s

            Repeater {
                model: [
                    [qsTr("Send"), qsTr("Enter")],
                    [qsTr("New line"), qsTr("Shift+Enter")],
                    [qsTr("Stop the answer"), qsTr("Esc")],
                    [qsTr("Continue the answer"), "Ctrl+G"],
                    [qsTr("Another answer"), "Ctrl+R"],
                    [qsTr("Copy the answer"), "Ctrl+Shift+C"],
                    [qsTr("Change the last message"), "↑"],
                    [qsTr("New conversation"), "Ctrl+N"],
                    [qsTr("Search"), "Ctrl+K"],
                    [qsTr("Next and previous conversation"), "Alt+↓ Alt+↑"],
                    [qsTr("Rename the conversation"), "F2"],
                    [qsTr("Pin the conversation"), "Ctrl+D"],
                    [qsTr("Delete the conversation"), "Ctrl+Shift+Backspace"],
                    [qsTr("Models"), "Ctrl+L"],
                    [qsTr("Settings"), "Ctrl+,"],
                    [qsTr("Quit"), "Ctrl+Q"]
                ]
                delegate: RowLayout {
                    required property var modelData

                    Layout.fillWidth: true
                    Accessible.role: Accessible.StaticText
                    Accessible.name: modelData[0] + ": " + modelData[1]

                    Text {
                        Layout.fillWidth: true
                        text: modelData[0]
                        color: Theme.text
                        font.pixelSize: Theme.smallSize
                        elide: Text.ElideRight
                    }
                    Text {
                        text: modelData[1]
                        color: Theme.mutedText
                        font.pixelSize: Theme.smallSize
                    }
                }
            }
        }
    }
}
