// One model that could be used: kept by another program on this disk, or to be got with a browser, and then opened once
// it is whole in the downloads.
import QtQuick
import QtQuick.Layouts
import Inglenook

ColumnLayout {
    id: row

    required property ModelOffers offers
    required property DesktopPortal portal
    required property string name
    required property string summary
    required property string speed
    required property bool pleasant
    required property string file
    required property string size
    required property string address
    required property string page
    required property string path
    required property bool awaited
    property bool shown: true
    /// The one to begin with.
    property bool first: false

    signal opened(string path)

    visible: shown
    spacing: 2
    height: shown ? implicitHeight : 0
    Accessible.role: Accessible.ListItem
    Accessible.name: name
    Accessible.description: speed + " " + summary + " " + file + " " + size

    RowLayout {
        Layout.fillWidth: true
        spacing: Theme.s

        ColumnLayout {
            Layout.fillWidth: true
            spacing: 0

            Text {
                Layout.fillWidth: true
                text: row.name
                textFormat: Text.PlainText
                color: Theme.text
                font.pixelSize: Theme.smallSize
                font.weight: Font.DemiBold
                elide: Text.ElideRight
            }
            Text {
                objectName: "offerSpeed"
                Layout.fillWidth: true
                visible: text.length > 0
                text: row.speed
                textFormat: Text.PlainText
                color: row.pleasant ? Theme.text : Theme.danger
                font.pixelSize: Theme.smallSize - 1
                wrapMode: Text.Wrap
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
            objectName: "openOffer"
            visible: row.path.length > 0
            text: qsTr("Open")
            Accessible.name: qsTr("Open %1").arg(row.name)
            onClicked: row.opened(row.path)
        }
        TextButton {
            objectName: "getOffer"
            visible: row.address.length > 0 && !row.awaited
            prominent: row.first
            text: qsTr("Download")
            Accessible.name: qsTr("Download %1 in the browser").arg(row.file)
            onClicked: row.offers.get(row.file, row.address)
        }
        TextButton {
            objectName: "stopWaiting"
            visible: row.awaited
            text: qsTr("Stop waiting")
            onClicked: row.offers.stopWaiting()
        }
    }
    RowLayout {
        Layout.fillWidth: true
        visible: row.address.length > 0
        spacing: 0

        Text {
            objectName: "offerFile"
            Layout.fillWidth: true
            text: row.awaited
                ? qsTr("Waiting for %1 in your downloads. It is opened as soon as it is whole.").arg(row.file)
                : qsTr("%1 · %2").arg(row.file).arg(row.size)
            textFormat: Text.PlainText
            color: row.awaited ? Theme.accent : Theme.mutedText
            font.pixelSize: Theme.smallSize - 1
            wrapMode: Text.WrapAtWordBoundaryOrAnywhere
            Accessible.role: Accessible.StaticText
            Accessible.name: text
        }
        IconButton {
            iconName: "copy"
            hint: qsTr("Copy the address of the file")
            onClicked: row.portal.copyLink(row.address)
        }
        IconButton {
            iconName: "link"
            hint: qsTr("Open the model's page in the browser")
            onClicked: row.portal.openLink(row.page)
        }
    }
}
