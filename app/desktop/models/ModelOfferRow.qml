// One model that could be used: kept by another program on this disk, or worth getting.
import QtQuick
import QtQuick.Layouts
import Inglenook

RowLayout {
    id: row

    required property ModelListModel models
    required property DesktopPortal portal
    required property string name
    required property string summary
    required property string page
    required property string path

    signal opened

    spacing: Theme.xs
    Accessible.role: Accessible.ListItem
    Accessible.name: name
    Accessible.description: summary

    ColumnLayout {
        Layout.fillWidth: true
        spacing: 0

        Text {
            Layout.fillWidth: true
            text: row.name
            textFormat: Text.PlainText
            color: Theme.text
            font.pixelSize: Theme.smallSize
            elide: Text.ElideRight
        }
        Text {
            Layout.fillWidth: true
            text: row.summary
            textFormat: Text.PlainText
            color: Theme.mutedText
            font.pixelSize: Theme.smallSize - 1
            wrapMode: Text.Wrap
        }
    }
    TextButton {
        visible: row.path.length > 0
        text: qsTr("Open")
        Accessible.name: qsTr("Open %1").arg(row.name)
        onClicked: {
            row.models.openPath(row.path);
            row.opened();
        }
    }
    TextButton {
        visible: row.page.length > 0
        text: qsTr("Copy link")
        Accessible.name: qsTr("Copy the link to %1").arg(row.name)
        onClicked: row.portal.copyLink(row.page)
    }
    IconButton {
        visible: row.page.length > 0
        iconName: "link"
        hint: qsTr("Open in browser")
        Accessible.name: qsTr("Open the page of %1 in the browser").arg(row.name)
        onClicked: row.portal.openLink(row.page)
    }
}
