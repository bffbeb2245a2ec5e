// Names of the columns of the published data sets (datasets.h), in the order of the files.
#pragma once

#include <array>
#include <string_view>

namespace plumbline {

// The words of text; a wrong Count does not compile.
template <std::size_t Count>
consteval std::array<std::string_view, Count> split_names(std::string_view text) {
  std::array<std::string_view, Count> names;
  for (std::size_t i = 0; i < Count; ++i) {
    const std::size_t end = text.find(' ');
    if ((end == std::string_view::npos) != (i + 1 == Count)) throw "the number of names is not Count";
    names[i] = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return names;
}

inline constexpr auto kAdultColumns = split_names<15>(
    "age workclass fnlwgt education education-num marital-status occupation relationship race sex capital-gain "
    "capital-loss hours-per-week native-country income");

// The header has decile_score and priors_count twice, with the same cells; the second ones have got a suffix.
inline constexpr auto kCompasColumns = split_names<53>(
    "id name first last compas_screening_date sex dob age age_cat race juv_fel_count decile_score juv_misd_count "
    "juv_other_count priors_count days_b_screening_arrest c_jail_in c_jail_out c_case_number c_offense_date "
    "c_arrest_date c_days_from_compas c_charge_degree c_charge_desc is_recid r_case_number r_charge_degree "
    "r_days_from_arrest r_offense_date r_charge_desc r_jail_in r_jail_out violent_recid is_violent_recid "
    "vr_case_number vr_charge_degree vr_offense_date vr_charge_desc type_of_assessment decile_score.1 score_text "
    "screening_date v_type_of_assessment v_decile_score v_score_text v_screening_date in_custody out_custody "
    "priors_count.1 start end event two_year_recid");

inline constexpr auto kCrimeColumns = split_names<128>(
    "state county community communityname fold population householdsize racepctblack racePctWhite racePctAsian "
    "racePctHisp agePct12t21 agePct12t29 agePct16t24 agePct65up numbUrban pctUrban medIncome pctWWage "
    "pctWFarmSelf pctWInvInc pctWSocSec pctWPubAsst pctWRetire medFamInc perCapInc whitePerCap blackPerCap "
    "indianPerCap AsianPerCap OtherPerCap HispPerCap NumUnderPov PctPopUnderPov PctLess9thGrade PctNotHSGrad "
    "PctBSorMore PctUnemployed PctEmploy PctEmplManu PctEmplProfServ PctOccupManu PctOccupMgmtProf MalePctDivorce "
    "MalePctNevMarr FemalePctDiv TotalPctDiv PersPerFam PctFam2Par PctKids2Par PctYoungKids2Par PctTeen2Par "
    "PctWorkMomYoungKids PctWorkMom NumIlleg PctIlleg NumImmig PctImmigRecent PctImmigRec5 PctImmigRec8 "
    "PctImmigRec10 PctRecentImmig PctRecImmig5 PctRecImmig8 PctRecImmig10 PctSpeakEnglOnly PctNotSpeakEnglWell "
    "PctLargHouseFam PctLargHouseOccup PersPerOccupHous PersPerOwnOccHous PersPerRentOccHous PctPersOwnOccup "
    "PctPersDenseHous PctHousLess3BR MedNumBR HousVacant PctHousOccup PctHousOwnOcc PctVacantBoarded "
    "PctVacMore6Mos MedYrHousBuilt PctHousNoPhone PctWOFullPlumb OwnOccLowQuart OwnOccMedVal OwnOccHiQuart "
    "RentLowQ RentMedian RentHighQ MedRent MedRentPctHousInc MedOwnCostPctInc MedOwnCostPctIncNoMtg NumInShelters "
    "NumStreet PctForeignBorn PctBornSameState PctSameHouse85 PctSameCity85 PctSameState85 LemasSwornFT "
    "LemasSwFTPerPop LemasSwFTFieldOps LemasSwFTFieldPerPop LemasTotalReq LemasTotReqPerPop PolicReqPerOffic "
    "PolicPerPop RacialMatchCommPol PctPolicWhite PctPolicBlack PctPolicHisp PctPolicAsian PctPolicMinor "
    "OfficAssgnDrugUnits NumKindsDrugsSeiz PolicAveOTWorked LandArea PopDens PctUsePubTrans PolicCars "
    "PolicOperBudg LemasPctPolicOnPatr LemasGangUnitDeploy LemasPctOfficDrugUn PolicBudgPerPop "
    "ViolentCrimesPerPop");

}  // namespace plumbline
