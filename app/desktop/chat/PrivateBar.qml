// Says that nothing of this chat is kept, and closes it.
import QtQuick
import QtQuick.Layouts
import Inglenook

Item {
    id: bar

    required property Actions actions
    /// What is asked leaves this computer.
    required property bool leaves

    objectName: "privateBar"
    implicitHeight: visible ? box.height + Theme.s : 0

    Rectangle {
        id: box
        anchors.horizontalCenter: parent.horizontalCenter
        width: Math.min(Theme.columnWidth + 2 * Theme.s, parent.width - 2 * Theme.s)
        height: row.implicitHeight + Theme.s
        radius: Theme.radius
        color: Theme.surface

        RowLayout {
            id: row
            x: Theme.m
            anchors.verticalCenter: parent.verticalCenter
            width: parent.width - Theme.m - Theme.xs
            spacing: Theme.s

            Icon {
                Layout.preferredWidth: Theme.iconSize(17)
                Layout.preferredHeight: Theme.iconSize(17)
                name: "private"
                color: Theme.accent
            }
            Text {
                Layout.fillWidth: true
                textFormat: Text.PlainText
                wrapMode: Text.Wrap
                text: bar.leaves ? qsTr("Nothing of this chat is written to this computer's disk. What you send "
                                      + "to another computer is in its hands.")
                    : qsTr("Nothing of this chat is written to the disk. When you close it, it is gone.")
                color: Theme.text
                font.pixelSize: Theme.smallSize
                Accessible.role: Accessible.StaticText
                Accessible.name: text
            }
            IconButton {
                objectName: "closePrivateButton"
                iconName: "close"
                hint: bar.actions.hint("closePrivateChat")
                onClicked: bar.actions.run("closePrivateChat")
            }
        }
    }
}
