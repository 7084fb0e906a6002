// One backup: when it was made, whether it is whole, and the way back to it, which asks first.
import QtQuick
import QtQuick.Layouts
import Inglenook

ColumnLayout {
    id: row

    required property BackupList backups
    required property int index
    required property string title
    required property string detail
    required property bool good
    property bool asking: false

    spacing: Theme.xs
    Accessible.role: Accessible.ListItem
    Accessible.name: title
    Accessible.description: detail

    RowLayout {
        Layout.fillWidth: true
        spacing: Theme.m

        ColumnLayout {
            Layout.fillWidth: true
            spacing: 0

            Text {
                textFormat: Text.PlainText
                Layout.fillWidth: true
                text: row.title
                color: Theme.text
                font.pixelSize: Theme.smallSize
                elide: Text.ElideRight
            }
            Text {
                objectName: "backupDetail-" + row.index
                textFormat: Text.PlainText
                Layout.fillWidth: true
                text: row.detail
                color: Theme.mutedText
                font.pixelSize: Theme.smallSize - 1
                wrapMode: Text.Wrap
            }
        }
        TextButton {
            objectName: "restoreBackup-" + row.index
            visible: !row.asking
            enabled: row.good && !row.backups.busy
            text: qsTr("Restore…")
            Accessible.name: qsTr("Restore the backup of %1").arg(row.title)
            onClicked: row.asking = true
        }
    }
    ColumnLayout {
        Layout.fillWidth: true
        visible: row.asking
        spacing: Theme.xs

        Text {
            textFormat: Text.PlainText
            Layout.fillWidth: true
            text: qsTr("Your conversations become as they were then. Those of now are kept in a file beside them, "
                     + "until you remove it.")
            color: Theme.text
            font.pixelSize: Theme.smallSize
            wrapMode: Text.Wrap
        }
        Flow {
            Layout.fillWidth: true
            spacing: Theme.s

            TextButton {
                objectName: "confirmRestore-" + row.index
                prominent: true
                text: qsTr("Restore")
                onClicked: {
                    row.asking = false;
                    row.backups.restore(row.index);
                }
            }
            TextButton {
                text: qsTr("Cancel")
                onClicked: row.asking = false
            }
        }
    }
}
