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
                    [qsTr("Send"), ShortcutKeys.send],
                    [qsTr("New line"), ShortcutKeys.newLine],
                    [qsTr("Stop the answer"), ShortcutKeys.stop],
                    [qsTr("Continue the answer"), ShortcutKeys.continueAnswer],
                    [qsTr("Another answer"), ShortcutKeys.regenerate],
                    [qsTr("Copy the answer"), ShortcutKeys.copyAnswer],
                    [qsTr("Change the last message"), ShortcutKeys.editLast],
                    [qsTr("New conversation"), ShortcutKeys.newConversation],
                    [qsTr("Search"), ShortcutKeys.search],
                    [qsTr("Next and previous conversation"), ShortcutKeys.otherConversations],
                    [qsTr("Rename the conversation"), ShortcutKeys.rename],
                    [qsTr("Pin the conversation"), ShortcutKeys.pin],
                    [qsTr("Delete the conversation"), ShortcutKeys.remove],
                    [qsTr("Models"), ShortcutKeys.models],
                    [qsTr("Settings"), ShortcutKeys.settings],
                    [qsTr("Help"), ShortcutKeys.help],
                    [qsTr("All shortcuts"), ShortcutKeys.shortcuts],
                    [qsTr("Quit"), ShortcutKeys.quit]
                ]
                delegate: RowLayout {
                    required property var modelData

                    Layout.fillWidth: true
                    Accessible.role: Accessible.StaticText
                    Accessible.name: modelData[0] + ": " + modelData[1]

                    Text {
                        textFormat: Text.PlainText
                        Layout.fillWidth: true
                        text: modelData[0]
                        color: Theme.text
                        font.pixelSize: Theme.smallSize
                        elide: Text.ElideRight
                    }
                    Text {
                        textFormat: Text.PlainText
                        text: modelData[1]
                        color: Theme.mutedText
                        font.pixelSize: Theme.smallSize
                    }
                }
            }
        }
    }
}
