// What can be done to all conversations that are selected.
import QtQuick
import QtQuick.Layouts
import Inglenook

Rectangle {
    id: bar

    required property ConversationListModel conversations
    required property Actions actions

    signal done

    objectName: "selectionBar"
    visible: conversations.numSelected > 0
    implicitHeight: Theme.controlSize + 2 * Theme.s
    color: Theme.surface

    RowLayout {
        anchors.fill: parent
        anchors.leftMargin: Theme.l
        anchors.rightMargin: Theme.s
        spacing: 0

        Text {
            Layout.fillWidth: true
            textFormat: Text.PlainText
            text: qsTr("%n selected", "", bar.conversations.numSelected)
            color: Theme.text
            font.pixelSize: Theme.smallSize
            elide: Text.ElideRight
            Accessible.role: Accessible.StatusBar
            Accessible.name: text
        }
        IconButton {
            objectName: "moveSelected"
            iconName: "folder"
            hint: qsTr("Move to a folder")
            onClicked: bar.actions.run("moveToFolder", bar.conversations.firstSelected())
        }
        IconButton {
            objectName: "archiveSelected"
            iconName: "archive"
            hint: qsTr("Archive")
            onClicked: bar.actions.run("archive", bar.conversations.firstSelected())
        }
        IconButton {
            objectName: "removeSelected"
            iconName: "trash"
            hint: qsTr("Delete")
            onClicked: bar.actions.run("remove", bar.conversations.firstSelected())
        }
        IconButton {
            iconName: "close"
            hint: qsTr("Select none")
            onClicked: {
                bar.conversations.clearSelection();
                bar.done();
            }
        }
    }
}
